//! Protocols as machines: all states that can be reached.

use super::language::{
    Binder, Change, Control, Domain, Expression, Operator, Place, Protocol, Rule, Statement, Trigger, Type,
};
use crate::budget::Budget;
use crate::machine::{
    MAX_ENTITIES, MAX_STATES, MAX_VARIABLES, Machine, MachineNames, Operation, Register, RegisterIndex, State, Thread,
    Transition, Variable,
};
use crate::program::Span;
use crate::stopped::Stopped;
use crate::syntax::Diagnostic;
use crate::syntax::{Wrong, wrong};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// A value of control.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Value {
    Number(i64),
    Boolean(bool),
    Thread(u8),
    Variable(u8),
    /// One of the names that types list, by place among all of them.
    Name(u16),
    Sequence(Vec<Value>),
    Set(BTreeSet<Value>),
}

/// A type whose bounds are known.
#[derive(Clone, Debug)]
enum Known {
    Boolean,
    Thread,
    Variable,
    Range(i64, i64),
    Names(Vec<u16>),
    Sequence(Box<Known>, usize),
    Set(Box<Known>),
}

/// Names with what they stand for, the innermost last.
type Bound = Vec<(String, Value)>;

/// Registers or control variables of one name: where they begin, and the things that each index goes through.
struct Group {
    first: usize,
    indices: Vec<Vec<Value>>,
}

impl Group {
    fn len(&self) -> usize {
        self.indices.iter().map(Vec::len).product()
    }

    /// The place of some indices.
    fn place(&self, indices: &[Value]) -> Option<usize> {
        if indices.len() != self.indices.len() {
            return None;
        }
        let mut place = 0;
        for (index, all) in indices.iter().zip(&self.indices) {
            place = place * all.len() + all.iter().position(|other| other == index)?;
        }
        Some(self.first + place)
    }
}

/// What control is.
type Valuation = Vec<Value>;

/// What stands behind a state: control, and in the middle of a rule, the number of the transition that began it, and its events that are yet
/// to come.
type Situation = (Valuation, Option<(u32, Vec<Operation>)>);

struct Expander<'p> {
    protocol: &'p Protocol,
    names: MachineNames,
    parameters: Vec<(String, i64)>,
    enumerated: Vec<String>,
    registers: FxHashMap<String, Group>,
    controls: FxHashMap<String, Group>,
    /// By place of control: what it may be.
    types: Vec<Known>,
    /// By place of control: its name.
    control_names: Vec<String>,
    situations: IndexSet<Situation, FxBuildHasher>,
    transitions: Vec<Transition>,
    /// By rule: whether it was ever taken.
    is_taken: Vec<bool>,
    /// What may yet be evaluated.
    left: Cell<u64>,
    /// Who is asked meanwhile whether to go on.
    budget: RefCell<&'p mut Budget>,
    /// Whether somebody wanted to stop: what is wrong then is that alone.
    is_paused: Cell<bool>,
    /// How many values all situations have.
    values: usize,
}

/// Expands a protocol; `settings` are parameters that are set. It gives up when it has evaluated so many expressions. With notes about
/// rules that can never be taken.
///
/// # Errors
/// What is wrong with the protocol, the first of it; or somebody wants to stop.
pub(super) fn expand(
    protocol: &Protocol,
    settings: &[(String, i64)],
    work: u64,
    budget: &mut Budget,
) -> Result<(Machine, Vec<Diagnostic>), Stopped> {
    let mut expander = Expander::new(protocol, settings, work, budget)?;
    if let Err(wrong) = expander.declare().and_then(|()| expander.explore()) {
        return Err(if expander.is_paused.get() { Stopped::Paused } else { Stopped::Wrong(wrong) });
    }
    let taken = expander.is_taken.iter().zip(&protocol.rules);
    let idle = taken.filter(|(is_taken, _)| !**is_taken).map(|(_, rule)| {
        let message = format!("the rule `{}` never applies", rule.name);
        Diagnostic::note(message, rule.span).with_help("no reachable state satisfies its `when`")
    });
    let notes = idle.collect();
    Ok((Machine::new(expander.names, expander.transitions), notes))
}

const SETTINGS: &str = "declare parameters in the first line: `protocol NAME(threads = 2, variables = 1)`";

impl<'p> Expander<'p> {
    fn new(
        protocol: &'p Protocol,
        settings: &[(String, i64)],
        work: u64,
        budget: &'p mut Budget,
    ) -> Result<Self, Wrong> {
        let mut parameters: Vec<(String, i64)> = Vec::new();
        for (name, value, span) in &protocol.parameters {
            if parameters.iter().any(|(other, _)| other == name) {
                return Err(wrong(
                    format!("there are two parameters `{name}`"),
                    *span,
                    "give one of them another name",
                ));
            }
            parameters.push((name.clone(), *value));
        }
        for (name, value) in settings {
            let Some(parameter) = parameters.iter_mut().find(|(other, _)| other == name) else {
                let known: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
                let help = format!("it has {}", crate::words::list(known));
                return Err(wrong(format!("the protocol has no parameter `{name}`"), protocol.span, help));
            };
            parameter.1 = *value;
        }
        let size = |name: &str, most: usize| {
            let found = parameters.iter().find(|(other, _)| other == name);
            let Some((_, value)) = found else {
                return Err(wrong(
                    format!("the protocol does not say how many {name} there are"),
                    protocol.span,
                    SETTINGS,
                ));
            };
            let fits = usize::try_from(*value).ok().filter(|value| (1..=most).contains(value));
            fits.ok_or_else(|| {
                wrong(format!("there can't be {value} {name}"), protocol.span, format!("use a number from 1 to {most}"))
            })
        };
        let (threads, variables) = (size("threads", 16)?, size("variables", MAX_VARIABLES)?);
        let names = MachineNames {
            name: protocol.name.clone(),
            threads: (1..=threads).map(|thread| format!("T{thread}")).collect(),
            variables: (0..variables).map(variable_name).collect(),
            ..MachineNames::default()
        };
        Ok(Self {
            protocol,
            names,
            parameters,
            enumerated: Vec::new(),
            registers: FxHashMap::default(),
            controls: FxHashMap::default(),
            types: Vec::new(),
            control_names: Vec::new(),
            situations: IndexSet::default(),
            transitions: Vec::new(),
            is_taken: vec![false; protocol.rules.len()],
            left: Cell::new(work),
            budget: RefCell::new(budget),
            is_paused: Cell::new(false),
            values: 0,
        })
    }

    /// All registers and control variables.
    fn declare(&mut self) -> Result<(), Wrong> {
        let protocol = self.protocol;
        for control in &protocol.controls {
            self.enumerate(&control.of);
        }
        for group in &protocol.registers {
            self.is_new(&group.name, group.span)?;
            let mut all = Vec::new();
            let indices = self.indices(&group.indices, group.span)?;
            self.each(&group.indices, &mut Bound::new(), &Vec::new(), &mut |expander, bound| {
                let holds =
                    group.holds.as_ref().map(|holds| expander.variable(holds, bound, &Vec::new())).transpose()?;
                let name = expander.indexed(&group.name, &group.indices, bound, "_", "");
                all.push(Register { name, variable: holds });
                Ok(())
            })?;
            let first = self.names.registers.len();
            if first + all.len() + self.names.threads.len() > MAX_ENTITIES {
                let message = format!("more than {MAX_ENTITIES} threads and registers");
                return Err(wrong(message, group.span, "use smaller parameters"));
            }
            self.names.registers.extend(all);
            self.registers.insert(group.name.clone(), Group { first, indices });
        }
        for control in &protocol.controls {
            self.control(control)?;
        }
        Ok(())
    }

    fn is_new(&self, name: &str, span: Span) -> Result<(), Wrong> {
        let is_there = self.registers.contains_key(name)
            || self.controls.contains_key(name)
            || self.parameters.iter().any(|(other, _)| other == name)
            || self.enumerated.iter().any(|other| other == name);
        if is_there {
            return Err(wrong(format!("`{name}` is already declared"), span, "give one of them another name"));
        }
        Ok(())
    }

    /// The names that a type lists.
    fn enumerate(&mut self, of: &Type) {
        match of {
            Type::Names(names) => {
                for name in names {
                    if !self.enumerated.contains(name) {
                        self.enumerated.push(name.clone());
                    }
                }
            }
            Type::Sequence(inner, _) | Type::Set(inner) => self.enumerate(inner),
            Type::Boolean | Type::Thread | Type::Variable | Type::Range(..) => {}
        }
    }

    fn control(&mut self, control: &Control) -> Result<(), Wrong> {
        self.is_new(&control.name, control.span)?;
        let of = self.known(&control.of)?;
        let indices = self.indices(&control.indices, control.span)?;
        let mut all = Vec::new();
        self.each(&control.indices, &mut Bound::new(), &Vec::new(), &mut |expander, bound| {
            let value = match &control.initial {
                Some(initial) => expander.value(initial, bound, &Vec::new())?,
                None => least(&of),
            };
            if !fits(&of, &value) {
                let message = format!("{} does not belong to the type of `{}`", expander.text(&value), control.name);
                let span = control.initial.as_ref().map_or(control.span, Expression::span);
                return Err(wrong(message, span, "the initial value must belong to the type too"));
            }
            all.push((expander.indexed(&control.name, &control.indices, bound, "[", "]"), value));
            Ok(())
        })?;
        let first = self.types.len();
        let mut valuation = self.situations.pop().map_or_else(Vec::new, |(valuation, _)| valuation);
        for (name, value) in all {
            self.control_names.push(name);
            self.types.push(of.clone());
            valuation.push(value);
        }
        self.situations.insert((valuation, None));
        self.controls.insert(control.name.clone(), Group { first, indices });
        Ok(())
    }

    fn known(&self, of: &Type) -> Result<Known, Wrong> {
        let nowhere = (&mut Bound::new(), &Vec::new());
        Ok(match of {
            Type::Boolean => Known::Boolean,
            Type::Thread => Known::Thread,
            Type::Variable => Known::Variable,
            Type::Range(from, to) => {
                let (least, most) = (self.number(from, nowhere.0, nowhere.1)?, self.number(to, nowhere.0, nowhere.1)?);
                if least > most {
                    return Err(wrong(format!("{least}..{most} is empty"), from.span(), "use a larger upper bound"));
                }
                Known::Range(least, most)
            }
            Type::Names(names) => Known::Names(names.iter().filter_map(|name| self.enumerator(name)).collect()),
            Type::Sequence(inner, length) => {
                let most = self.number(length, nowhere.0, nowhere.1)?;
                Known::Sequence(Box::new(self.known(inner)?), usize::try_from(most).unwrap_or(0))
            }
            Type::Set(inner) => Known::Set(Box::new(self.known(inner)?)),
        })
    }

    fn enumerator(&self, name: &str) -> Option<u16> {
        self.enumerated.iter().position(|other| other == name).map(|at| at as u16)
    }

    /// What each index goes through.
    fn indices(&self, binders: &[Binder], span: Span) -> Result<Vec<Vec<Value>>, Wrong> {
        let indices = binders.iter().map(|binder| self.domain(&binder.domain, &mut Bound::new(), &Vec::new()));
        let indices = indices.collect::<Result<Vec<_>, _>>()?;
        let mut all = 1_usize;
        for index in &indices {
            all = all.saturating_mul(index.len());
        }
        if all > 4_096 {
            return Err(wrong(format!("these are {all}: too many"), span, "use smaller parameters"));
        }
        Ok(indices)
    }

    /// Does something for each choice of names.
    fn each(
        &mut self,
        binders: &[Binder],
        bound: &mut Bound,
        control: &Valuation,
        visit: &mut dyn FnMut(&mut Self, &mut Bound) -> Result<(), Wrong>,
    ) -> Result<(), Wrong> {
        self.count()?;
        let Some((binder, rest)) = binders.split_first() else { return visit(self, bound) };
        for value in self.domain(&binder.domain, bound, control)? {
            bound.push((binder.name.clone(), value));
            let result = self.each(rest, bound, control, visit);
            bound.pop();
            result?;
        }
        Ok(())
    }

    /// One expression more.
    fn count(&self) -> Result<(), Wrong> {
        let Some(left) = self.left.get().checked_sub(1) else {
            let message = format!("expanding the protocol takes too long: {} states so far", self.situations.len());
            return Err(wrong(message, self.protocol.span, "use smaller parameters, or give rules fewer names"));
        };
        self.left.set(left);
        // An expression takes some hundred nanoseconds.
        if self.budget.borrow_mut().count(16).is_err() {
            self.is_paused.set(true);
            return Err(wrong("somebody wants to stop", self.protocol.span, ""));
        }
        Ok(())
    }

    fn domain(&self, domain: &Domain, bound: &mut Bound, control: &Valuation) -> Result<Vec<Value>, Wrong> {
        const MOST: i64 = 1_000;
        Ok(match domain {
            Domain::Thread => (0..self.names.threads.len() as u8).map(Value::Thread).collect(),
            Domain::Variable => (0..self.names.variables.len() as u8).map(Value::Variable).collect(),
            Domain::Range(from, to) => {
                let (least, most) = (self.number(from, bound, control)?, self.number(to, bound, control)?);
                if most - least > MOST {
                    return Err(wrong(
                        format!("{least}..{most} is too long"),
                        from.span(),
                        "use at most a thousand numbers",
                    ));
                }
                (least..=most).map(Value::Number).collect()
            }
            Domain::Of(values) => match self.value(values, bound, control)? {
                Value::Sequence(values) => values,
                Value::Set(values) => values.into_iter().collect(),
                other => {
                    let message = format!("{} is not a sequence or a set", self.text(&other));
                    return Err(wrong(
                        message,
                        values.span(),
                        "names go through `thread`, `variable`, `1..3`, or a sequence or set",
                    ));
                }
            },
        })
    }

    /// A name with the indices that are bound.
    fn indexed(&self, name: &str, binders: &[Binder], bound: &Bound, open: &str, close: &str) -> String {
        if binders.is_empty() {
            return name.to_owned();
        }
        let values: Vec<String> = bound.iter().map(|(_, value)| self.text(value)).collect();
        format!("{name}{open}{}{close}", values.join(if close.is_empty() { "_" } else { "," }))
    }

    fn text(&self, value: &Value) -> String {
        let list = |values: &mut dyn Iterator<Item = &Value>| {
            values.map(|value| self.text(value)).collect::<Vec<_>>().join(",")
        };
        match value {
            Value::Number(number) => number.to_string(),
            Value::Boolean(is) => if *is { "true" } else { "false" }.to_owned(),
            Value::Thread(thread) => self.names.threads[usize::from(*thread)].clone(),
            Value::Variable(variable) => self.names.variables[usize::from(*variable)].clone(),
            Value::Name(name) => self.enumerated[usize::from(*name)].clone(),
            Value::Sequence(values) => format!("[{}]", list(&mut values.iter())),
            Value::Set(values) => format!("{{{}}}", list(&mut values.iter())),
        }
    }

    fn number(&self, expression: &Expression, bound: &mut Bound, control: &Valuation) -> Result<i64, Wrong> {
        match self.value(expression, bound, control)? {
            Value::Number(number) => Ok(number),
            other => {
                Err(wrong(format!("{} is not a number", self.text(&other)), expression.span(), "write a number here"))
            }
        }
    }

    fn is_true(&self, expression: &Expression, bound: &mut Bound, control: &Valuation) -> Result<bool, Wrong> {
        match self.value(expression, bound, control)? {
            Value::Boolean(is) => Ok(is),
            other => {
                let message = format!("{} is neither true nor false", self.text(&other));
                Err(wrong(message, expression.span(), "write a condition here, such as `s[t] = M`"))
            }
        }
    }

    fn thread(&self, expression: &Expression, bound: &mut Bound, control: &Valuation) -> Result<Thread, Wrong> {
        match self.value(expression, bound, control)? {
            Value::Thread(thread) => Ok(Thread(thread)),
            other => Err(wrong(
                format!("{} is not a thread", self.text(&other)),
                expression.span(),
                "`W t x a` names a thread first",
            )),
        }
    }

    fn variable(&self, expression: &Expression, bound: &mut Bound, control: &Valuation) -> Result<Variable, Wrong> {
        match self.value(expression, bound, control)? {
            Value::Variable(variable) => Ok(Variable(variable)),
            other => {
                let message = format!("{} is not a variable", self.text(&other));
                Err(wrong(message, expression.span(), "variables are x, y, z and so on"))
            }
        }
    }

    fn values(&self, expressions: &[Expression], bound: &mut Bound, control: &Valuation) -> Result<Vec<Value>, Wrong> {
        expressions.iter().map(|expression| self.value(expression, bound, control)).collect()
    }

    fn value(&self, expression: &Expression, bound: &mut Bound, control: &Valuation) -> Result<Value, Wrong> {
        self.count()?;
        Ok(match expression {
            Expression::Number(number, _) => Value::Number(*number),
            Expression::Place(place) => self.named(place, bound, control)?,
            Expression::Not(inner) => Value::Boolean(!self.is_true(inner, bound, control)?),
            Expression::List(values, _) => Value::Sequence(self.values(values, bound, control)?),
            Expression::Set(values, _) => Value::Set(self.values(values, bound, control)?.into_iter().collect()),
            Expression::Call(function, arguments, span) => self.call(function, arguments, *span, bound, control)?,
            Expression::Both(operator, sides, span) => self.both(*operator, sides, *span, bound, control)?,
            Expression::Quantified { all, binder, body } => {
                let mut result = *all;
                for value in self.domain(&binder.domain, bound, control)? {
                    bound.push((binder.name.clone(), value));
                    let holds = self.is_true(body, bound, control);
                    bound.pop();
                    if holds? != *all {
                        result = !*all;
                        break;
                    }
                }
                Value::Boolean(result)
            }
        })
    }

    fn named(&self, place: &Place, bound: &mut Bound, control: &Valuation) -> Result<Value, Wrong> {
        let name = &place.name;
        if place.indices.is_empty() {
            if let Some((_, value)) = bound.iter().rev().find(|(other, _)| other == name) {
                return Ok(value.clone());
            }
            if let Some((_, value)) = self.parameters.iter().find(|(other, _)| other == name) {
                return Ok(Value::Number(*value));
            }
            if let Some(at) = self.enumerator(name) {
                return Ok(Value::Name(at));
            }
            match name.as_str() {
                "true" => return Ok(Value::Boolean(true)),
                "false" => return Ok(Value::Boolean(false)),
                _ => {}
            }
            if let Some(at) = self.names.threads.iter().position(|other| other == name) {
                return Ok(Value::Thread(at as u8));
            }
            if let Some(at) = self.names.variables.iter().position(|other| other == name) {
                return Ok(Value::Variable(at as u8));
            }
        }
        let at = self.control_place(place, bound, control)?;
        control.get(at).cloned().ok_or_else(|| {
            wrong(
                format!("`{name}` has no value here"),
                place.span,
                "declare it before it is used in another declaration",
            )
        })
    }

    fn control_place(&self, place: &Place, bound: &mut Bound, control: &Valuation) -> Result<usize, Wrong> {
        let Some(group) = self.controls.get(&place.name) else {
            let help = if self.registers.contains_key(&place.name) {
                "registers hold writes, and a condition can't look at them"
            } else {
                "declare control variables with `control`"
            };
            return Err(wrong(format!("there is no control variable `{}`", place.name), place.span, help));
        };
        self.place_in(group, place, bound, control)
    }

    fn register_place(&self, place: &Place, bound: &mut Bound, control: &Valuation) -> Result<RegisterIndex, Wrong> {
        let Some(group) = self.registers.get(&place.name) else {
            let message = format!("there is no register `{}`", place.name);
            return Err(wrong(message, place.span, "declare registers with `register`"));
        };
        Ok(RegisterIndex(self.place_in(group, place, bound, control)? as u8))
    }

    fn place_in(&self, group: &Group, place: &Place, bound: &mut Bound, control: &Valuation) -> Result<usize, Wrong> {
        let indices = self.values(&place.indices, bound, control)?;
        group.place(&indices).ok_or_else(|| {
            let shown: Vec<String> = indices.iter().map(|index| self.text(index)).collect();
            let message = format!("`{}` has no index [{}]", place.name, shown.join(","));
            let help = format!("its declaration gives it {}", crate::words::count(group.len() as u64, "place"));
            wrong(message, place.span, help)
        })
    }

    fn call(
        &self,
        function: &str,
        arguments: &[Expression],
        span: Span,
        bound: &mut Bound,
        control: &Valuation,
    ) -> Result<Value, Wrong> {
        let values = self.values(arguments, bound, control)?;
        let none = || wrong(format!("`{function}` finds nothing"), span, "let `when` check that there is something");
        Ok(match (function, &values[..]) {
            ("length" | "count", [Value::Sequence(values)]) => Value::Number(values.len() as i64),
            ("length" | "count", [Value::Set(values)]) => Value::Number(values.len() as i64),
            ("first", [Value::Sequence(values)]) => values.first().cloned().ok_or_else(none)?,
            ("item", [Value::Sequence(values), Value::Number(at)]) => {
                let at = usize::try_from(*at).ok().and_then(|at| at.checked_sub(1));
                at.and_then(|at| values.get(at)).cloned().ok_or_else(none)?
            }
            ("last", [Value::Sequence(values), value]) => {
                let at = values.iter().rposition(|other| other == value).ok_or_else(none)?;
                Value::Number(at as i64 + 1)
            }
            _ => {
                let help = "`length(s)`, `count(s)`, `first(s)`, `item(s, 1)`, `last(s, x)`, where s is a sequence";
                return Err(wrong(format!("`{function}` does not take such arguments"), span, help));
            }
        })
    }

    fn both(
        &self,
        operator: Operator,
        sides: &(Expression, Expression),
        span: Span,
        bound: &mut Bound,
        control: &Valuation,
    ) -> Result<Value, Wrong> {
        match operator {
            Operator::Or => {
                return Ok(Value::Boolean(
                    self.is_true(&sides.0, bound, control)? || self.is_true(&sides.1, bound, control)?,
                ));
            }
            Operator::And => {
                return Ok(Value::Boolean(
                    self.is_true(&sides.0, bound, control)? && self.is_true(&sides.1, bound, control)?,
                ));
            }
            _ => {}
        }
        let (left, right) = (self.value(&sides.0, bound, control)?, self.value(&sides.1, bound, control)?);
        let of_one_kind = std::mem::discriminant(&left) == std::mem::discriminant(&right);
        let compared = |is: bool| Ok(Value::Boolean(is));
        match (operator, &left, &right) {
            (Operator::Equal, ..) if of_one_kind => compared(left == right),
            (Operator::NotEqual, ..) if of_one_kind => compared(left != right),
            (Operator::Less, ..) if of_one_kind => compared(left < right),
            (Operator::LessOrEqual, ..) if of_one_kind => compared(left <= right),
            (Operator::Greater, ..) if of_one_kind => compared(left > right),
            (Operator::GreaterOrEqual, ..) if of_one_kind => compared(left >= right),
            (Operator::In, value, Value::Sequence(values)) => compared(values.contains(value)),
            (Operator::In, value, Value::Set(values)) => compared(values.contains(value)),
            (Operator::Plus, Value::Number(a), Value::Number(b)) => Ok(Value::Number(a.saturating_add(*b))),
            (Operator::Minus, Value::Number(a), Value::Number(b)) => Ok(Value::Number(a.saturating_sub(*b))),
            (Operator::Times, Value::Number(a), Value::Number(b)) => Ok(Value::Number(a.saturating_mul(*b))),
            (Operator::Plus, Value::Set(a), Value::Set(b)) => Ok(Value::Set(a.union(b).cloned().collect())),
            (Operator::Minus, Value::Set(a), Value::Set(b)) => Ok(Value::Set(a.difference(b).cloned().collect())),
            _ => {
                let message = format!("{} and {} do not fit together here", self.text(&left), self.text(&right));
                Err(wrong(
                    message,
                    span,
                    "both sides of a comparison are of one type; `+` and `-` take numbers or sets",
                ))
            }
        }
    }

    /// All states that can be reached.
    fn explore(&mut self) -> Result<(), Wrong> {
        if self.situations.is_empty() {
            self.situations.insert((Vec::new(), None));
        }
        let mut next = 0;
        while next < self.situations.len() {
            self.count()?;
            let Some((control, row)) = self.situations.get_index(next).cloned() else { break };
            let from = State(next as u32);
            if let Some((begun, events)) = row {
                let (operation, rest) = (events[0], events[1..].to_vec());
                let row = (!rest.is_empty()).then_some((begun, rest));
                let to = self.situation((control, row), "")?;
                self.transition(Transition { from, to, operation, line: 0 }, "")?;
            } else {
                for rule in 0..self.protocol.rules.len() {
                    self.apply(rule, from, &control)?;
                }
            }
            next += 1;
        }
        let name = |situation: &Situation| self.count().map(|()| self.state_name(situation));
        self.names.states = self.situations.iter().map(name).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn state_name(&self, (control, row): &Situation) -> String {
        let values: Vec<String> = control.iter().map(|value| self.text(value)).collect();
        let mut name = if values.is_empty() { "·".to_owned() } else { values.join(" ") };
        if let Some((begun, events)) = row {
            let events = crate::words::count(events.len() as u64, "event");
            name = format!("{name}, with {events} of rule {begun} to come");
        }
        name
    }

    fn situation(&mut self, situation: Situation, rule: &str) -> Result<State, Wrong> {
        let values = situation.0.iter().map(size).sum::<usize>() + situation.1.as_ref().map_or(0, |row| row.1.len());
        let (at, is_new) = self.situations.insert_full(situation);
        self.values += if is_new { values } else { 0 };
        if self.values > MAX_VALUES {
            let message =
                format!("the protocol is too large: {at} states have more than {MAX_VALUES} values of control");
            return Err(wrong(message, self.protocol.span, "use smaller parameters"));
        }
        if is_new && at >= MAX_STATES {
            let rule = if rule.is_empty() { String::new() } else { format!(", at last by `{rule}`") };
            let message = format!("the protocol has more than {MAX_STATES} states{rule}");
            return Err(wrong(message, self.protocol.span, "use smaller parameters"));
        }
        Ok(State(at as u32))
    }

    /// One transition more.
    fn transition(&mut self, transition: Transition, rule: &str) -> Result<(), Wrong> {
        if self.transitions.len() == MAX_TRANSITIONS {
            let rule = if rule.is_empty() { String::new() } else { format!(", at last by `{rule}`") };
            let message = format!("the protocol has more than {MAX_TRANSITIONS} transitions{rule}");
            return Err(wrong(message, self.protocol.span, "use smaller parameters"));
        }
        self.transitions.push(transition);
        Ok(())
    }

    /// Takes a rule in a state, in each way in which it can be taken.
    fn apply(&mut self, rule: usize, from: State, control: &Valuation) -> Result<(), Wrong> {
        let protocol = self.protocol;
        let about = &protocol.rules[rule];
        self.each(&about.binders, &mut Bound::new(), control, &mut |expander, bound| {
            if let Some(guard) = &about.guard
                && !expander.is_true(guard, bound, control)?
            {
                return Ok(());
            }
            let mut effect = Effect { control: control.clone(), events: Vec::new(), lines: Vec::new() };
            expander.perform(&about.body, bound, &mut effect)?;
            expander.is_answered(about, bound, &effect)?;
            expander.is_taken[rule] = true;
            let Effect { control, events, lines } = effect;
            let (operation, rest) = match events.split_first() {
                Some((first, rest)) => (*first, rest.to_vec()),
                None => (Operation::Step, Vec::new()),
            };
            let line = lines.first().copied().unwrap_or(about.span.line);
            let row = (!rest.is_empty()).then_some((expander.transitions.len() as u32, rest));
            let to = expander.situation((control, row), &about.name)?;
            expander.transition(Transition { from, to, operation, line }, &about.name)
        })
    }

    /// Whether a rule for a write, read or fence has just that event, and a step none.
    fn is_answered(&self, rule: &Rule, bound: &Bound, effect: &Effect) -> Result<(), Wrong> {
        let of = |at: usize| bound.get(at).map(|(_, value)| value.clone());
        let visible = effect.events.iter().filter(|event| !matches!(event, Operation::Copy { .. } | Operation::Step));
        let visible: Vec<&Operation> = visible.collect();
        let is_right = match (rule.trigger, &visible[..]) {
            (Trigger::Write, [Operation::Write { thread, variable, .. }])
            | (Trigger::Read, [Operation::Read { thread, variable, .. }]) => {
                of(0) == Some(Value::Thread(thread.0)) && of(1) == Some(Value::Variable(variable.0))
            }
            (Trigger::Fence, [Operation::Fence { thread }]) => of(0) == Some(Value::Thread(thread.0)),
            (Trigger::Step, []) => true,
            _ => false,
        };
        if is_right {
            return Ok(());
        }
        let (message, help) = match rule.trigger {
            Trigger::Write => (
                "this rule does not answer the write exactly once",
                "for example: `on write t x { W t \
                                                                                    x a[t] }`",
            ),
            Trigger::Read => (
                "this rule does not answer the read exactly once",
                "for example: `on read t x { R t x \
                                                                                  a[t] }`",
            ),
            Trigger::Fence => ("this rule does not answer the fence exactly once", "for example: `on fence t { F t }`"),
            Trigger::Step => (
                "a step can't answer a write, read or fence",
                "answer writes, reads and fences by `on write`, `on \
                                                                read` and `on fence`",
            ),
        };
        Err(wrong(message, rule.span, help))
    }

    fn perform(&mut self, body: &[Statement], bound: &mut Bound, effect: &mut Effect) -> Result<(), Wrong> {
        const MOST: usize = 1_000;
        for statement in body {
            match statement {
                Statement::Access { is_write, span, thread, variable, register } => {
                    let thread = self.thread(thread, bound, &effect.control)?;
                    let variable = self.variable(variable, bound, &effect.control)?;
                    let register = self.register_place(register, bound, &effect.control)?;
                    effect.events.push(if *is_write {
                        Operation::Write { thread, variable, register }
                    } else {
                        Operation::Read { thread, variable, register }
                    });
                    effect.lines.push(span.line);
                }
                Statement::Fence { span, thread } => {
                    effect.events.push(Operation::Fence { thread: self.thread(thread, bound, &effect.control)? });
                    effect.lines.push(span.line);
                }
                Statement::Assign { to, value } if self.registers.contains_key(&to.name) => {
                    let register = self.register_place(to, bound, &effect.control)?;
                    let Expression::Place(from) = value else {
                        return Err(wrong(
                            "a register can only take the contents of another register",
                            value.span(),
                            "`a[t] := b[u]` copies",
                        ));
                    };
                    let from = self.register_place(from, bound, &effect.control)?;
                    effect.events.push(Operation::Copy { to: register, from });
                    effect.lines.push(to.span.line);
                }
                Statement::Assign { to, value } => {
                    let value = self.value(value, bound, &effect.control)?;
                    let at = self.control_place(to, bound, &effect.control)?;
                    self.set(effect, at, value, to.span)?;
                }
                Statement::Change { how, to, value } => self.change(*how, to, value.as_ref(), bound, effect)?,
                Statement::For { binder, guard, body } => {
                    for value in self.domain(&binder.domain, bound, &effect.control)? {
                        bound.push((binder.name.clone(), value));
                        let result = (|| {
                            let is_meant = match guard {
                                Some(guard) => self.is_true(guard, bound, &effect.control)?,
                                None => true,
                            };
                            if is_meant { self.perform(body, bound, effect) } else { Ok(()) }
                        })();
                        bound.pop();
                        result?;
                    }
                }
                Statement::If { condition, then, otherwise } => {
                    let is = self.is_true(condition, bound, &effect.control)?;
                    self.perform(if is { then } else { otherwise }, bound, effect)?;
                }
            }
            if effect.events.len() > MOST {
                let message = format!("more than {MOST} events in a row");
                return Err(wrong(message, self.protocol.span, "split the rule into several"));
            }
        }
        Ok(())
    }

    fn set(&self, effect: &mut Effect, at: usize, value: Value, span: Span) -> Result<(), Wrong> {
        if !fits(&self.types[at], &value) {
            let message =
                format!("{} becomes {}, which does not belong to its type", self.control_names[at], self.text(&value));
            return Err(wrong(message, span, "let `when` check that there is room, or make the type larger"));
        }
        effect.control[at] = value;
        Ok(())
    }

    fn change(
        &self,
        how: Change,
        to: &Place,
        value: Option<&Expression>,
        bound: &mut Bound,
        effect: &mut Effect,
    ) -> Result<(), Wrong> {
        let at = self.control_place(to, bound, &effect.control)?;
        let value = value.map(|value| self.value(value, bound, &effect.control)).transpose()?;
        let mut changed = effect.control[at].clone();
        match (how, &mut changed, value) {
            (Change::Push, Value::Sequence(values), Some(value)) => values.push(value),
            (Change::Pop, Value::Sequence(values), None) if !values.is_empty() => {
                values.remove(0);
            }
            (Change::Pop, Value::Sequence(_), None) => {
                let message = format!("{} is empty", self.control_names[at]);
                return Err(wrong(message, to.span, "let `when` check that there is something"));
            }
            (Change::Add, Value::Set(values), Some(value)) => {
                values.insert(value);
            }
            (Change::Drop, Value::Set(values), Some(value)) => {
                values.remove(&value);
            }
            _ => {
                let help = "`push s v` and `pop s` are for sequences, `add s v` and `drop s v` for sets";
                return Err(wrong(format!("`{}` can't be changed like this", to.name), to.span, help));
            }
        }
        self.set(effect, at, changed, to.span)
    }
}

/// How many transitions a protocol may have: some hundred megabytes.
const MAX_TRANSITIONS: usize = 10_000_000;

/// How many values all states may have together: some hundred megabytes.
const MAX_VALUES: usize = 20_000_000;

/// How many values a value has.
fn size(value: &Value) -> usize {
    match value {
        Value::Sequence(values) => 1 + values.iter().map(size).sum::<usize>(),
        Value::Set(values) => 1 + values.iter().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// What a rule does.
struct Effect {
    control: Valuation,
    events: Vec<Operation>,
    /// By event: its line.
    lines: Vec<u32>,
}

/// x, y, z, then x4 and so on.
fn variable_name(number: usize) -> String {
    ["x", "y", "z"].get(number).map_or_else(|| format!("x{}", number + 1), |name| (*name).to_owned())
}

/// What something is at first, where nothing is said.
fn least(of: &Known) -> Value {
    match of {
        Known::Boolean => Value::Boolean(false),
        Known::Thread => Value::Thread(0),
        Known::Variable => Value::Variable(0),
        Known::Range(least, _) => Value::Number(*least),
        Known::Names(names) => Value::Name(names.first().copied().unwrap_or(0)),
        Known::Sequence(..) => Value::Sequence(Vec::new()),
        Known::Set(_) => Value::Set(BTreeSet::new()),
    }
}

fn fits(of: &Known, value: &Value) -> bool {
    match (of, value) {
        (Known::Boolean, Value::Boolean(_))
        | (Known::Thread, Value::Thread(_))
        | (Known::Variable, Value::Variable(_)) => true,
        (Known::Range(least, most), Value::Number(number)) => (least..=most).contains(&number),
        (Known::Names(names), Value::Name(name)) => names.contains(name),
        (Known::Sequence(inner, most), Value::Sequence(values)) => {
            values.len() <= *most && values.iter().all(|value| fits(inner, value))
        }
        (Known::Set(inner), Value::Set(values)) => values.iter().all(|value| fits(inner, value)),
        _ => false,
    }
}
