//! Programs as decision diagrams: the edges are made of the program's steps, thread by thread, never of a list of states.
//!
//! A vertex has, one behind the other: whose choice comes next (if that is ever a vertex of its own), who moved last, and by thread its
//! point; by variable which of its values it has. Values are those that are declared (`shared x in 0..3`), or found: all that a step
//! assigns for some values of the others, or, where these have no end, all that is assigned where one gets to. What that needs
//! is a term as a list of values, each with the condition under which the term has it.
//!
//! It has the vertices and edges of [`crate::ProgramGraph`], with other numbers.

use crate::algorithms::{Options, Pairs, Way};
use crate::buffers::Buffered;
use crate::diagrams::{Diagram, DiagramError, Diagrams, MOST_BITS, Part, Variables};
use crate::machine::Machine;
use crate::program::{Claim, ProgramError, Promises, Question, Semantics, promise_claims, promised, refuse_mixed};
use crate::step::Answer;
use crate::universe::Universe;
use biodivine_lib_bdd::Bdd;
use litmoscope_core::budget::{Budget, Halt, LOOK};
use litmoscope_core::program::system::{
    Fault, Holds, Point, PointId, PointKind, State, StateError, Successor, System, Term, Transition, TransitionId,
    Variable,
};
use litmoscope_core::program::{BinaryOperator, Input, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// How many values a variable may have.
const MOST_VALUES: usize = 1024;
/// How many values are taken for a variable without a look at what one gets to.
const GUESSED: usize = 32;
/// How many values inputs may have together where each is tried.
const MOST_INPUTS: u128 = 1 << 16;
/// How many cases a term may have.
const MOST_CASES: usize = 1 << 16;

/// The order in which diagrams ask for the parts of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Who moved last; shared variables; then each thread with its registers.
    #[default]
    SharedFirst,
    /// Each thread with its registers; shared variables; who moved last.
    SharedLast,
    /// All points; all variables; who moved last.
    Points,
}

impl Order {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::SharedFirst, Self::SharedLast, Self::Points];

    /// Its name: `shared-first`.
    pub fn name(self) -> &'static str {
        match self {
            Self::SharedFirst => "shared-first",
            Self::SharedLast => "shared-last",
            Self::Points => "points",
        }
    }
}

/// Why there are no diagrams of a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SymbolicError {
    /// As where states are listed.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// Too many bits.
    #[error(transparent)]
    Diagram(#[from] DiagramError),
    /// A variable has too many values.
    #[error("`{0}` has more than {MOST_VALUES} values: declare which it may have, as `shared {0} in 0..3`")]
    TooManyValues(String),
    /// A term has too many cases.
    #[error("there are more than {MOST_CASES} combinations of values in one expression: declare smaller ranges")]
    TooManyCases,
    /// Too many nodes.
    #[error("the diagrams need more nodes than they may have")]
    TooManyNodes,
    /// It takes too long, or was told to stop.
    #[error("stopped before all states were found")]
    Paused,
}

impl From<Halt> for SymbolicError {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Paused => Self::Paused,
            Halt::Limit => Self::TooManyNodes,
        }
    }
}

/// Some bits of a vertex that are a number.
#[derive(Clone, Debug)]
struct Field {
    bits: Vec<usize>,
}

/// What a term may be: each value with the condition under which it is that one.
type Cases = BTreeMap<Value, Bdd>;

/// Where the parts of vertices are.
struct Layout {
    variables: Variables,
    choice: Field,
    last: Field,
    /// By thread.
    points: Vec<Field>,
    /// By variable.
    values: Vec<Field>,
    /// By variable: its values, ascending.
    domains: Vec<Vec<Value>>,
}

/// How many bits tell so many things apart.
fn width(things: usize) -> usize {
    (usize::BITS - things.saturating_sub(1).leading_zeros()) as usize
}

impl Layout {
    fn new(system: &System, domains: Vec<Vec<Value>>, has_choices: bool, order: Order) -> Result<Self, SymbolicError> {
        let mut bits = 0;
        let mut field = |width: usize| {
            bits += width;
            Field { bits: (bits - width..bits).collect() }
        };
        let movers = width(system.threads.len() + 1);
        let choice = field(if has_choices { movers } else { 0 });
        let last = field(movers);
        let points: Vec<Field> = system.threads.iter().map(|thread| field(width(thread.points.len()))).collect();
        let values: Vec<Field> = domains.iter().map(|domain| field(width(domain.len()))).collect();
        if bits > usize::from(MOST_BITS) {
            return Err(DiagramError::TooManyBits { bits }.into());
        }
        let all = |fields: &mut dyn Iterator<Item = &Field>| -> Vec<usize> {
            fields.flat_map(|field| field.bits.iter().copied()).collect()
        };
        let shared = system.shared();
        let head = all(&mut [&choice, &last].into_iter());
        let memory = all(&mut values[..shared].iter());
        // A buffer's registers are behind those of its owner.
        let owner = |variable: usize| owner_of(system, variable);
        let of_thread = |thread: usize| -> Vec<usize> {
            let own = (shared..values.len()).filter(|at| owner(*at) == Some(thread));
            all(&mut std::iter::once(&points[thread]).chain(own.map(|at| &values[at])))
        };
        let threads: Vec<usize> = (0..system.threads.len()).flat_map(of_thread).collect();
        let order = match order {
            Order::SharedFirst => [head, memory, threads].concat(),
            Order::SharedLast => [threads, memory, head].concat(),
            Order::Points => [all(&mut points.iter()), all(&mut values.iter()), head].concat(),
        };
        let variables = Variables::new(bits, Some(&order))?;
        Ok(Self { variables, choice, last, points, values, domains })
    }

    fn and(&self, one: &Bdd, other: &Bdd) -> Bdd {
        self.variables.and(one, other)
    }

    fn or(&self, one: &Bdd, other: &Bdd) -> Bdd {
        self.variables.or(one, other)
    }

    fn and_not(&self, one: &Bdd, other: &Bdd) -> Bdd {
        self.variables.and_not(one, other)
    }

    /// Ends where diagrams have become too large.
    fn look(&self) -> Result<(), SymbolicError> {
        if self.variables.exceeded() { Err(SymbolicError::TooManyNodes) } else { Ok(()) }
    }

    fn is(&self, field: &Field, number: usize) -> Bdd {
        self.variables.now_is(&field.bits, number as u128)
    }

    fn becomes(&self, field: &Field, number: usize) -> Bdd {
        self.variables.next_is(&field.bits, number as u128)
    }

    fn at(&self, thread: usize, point: PointId) -> Bdd {
        self.is(&self.points[thread], point.0 as usize)
    }

    fn has(&self, variable: Variable, value: Value) -> Bdd {
        let at = variable.0 as usize;
        match self.domains[at].binary_search(&value) {
            Ok(number) => self.is(&self.values[at], number),
            Err(_) => self.variables.set().mk_false(),
        }
    }
}

/// The thread that a register is of.
fn owner_of(system: &System, variable: usize) -> Option<usize> {
    match system.variables[variable] {
        Holds::Register(thread, _) => Some(usize::from(thread)),
        _ => None,
    }
}

/// Computes terms, and remembers what it computed.
struct Reader<'l> {
    layout: &'l Layout,
    inputs: &'l [Value],
    known: BTreeMap<*const Term, Cases>,
}

impl Reader<'_> {
    fn add(&self, cases: &mut Cases, value: Value, condition: Bdd) -> Result<(), SymbolicError> {
        self.layout.look()?;
        if condition.is_false() {
            return Ok(());
        }
        let joined = cases.get(&value).map(|other| self.layout.or(other, &condition)).unwrap_or(condition);
        cases.insert(value, joined);
        if cases.len() > MOST_CASES { Err(SymbolicError::TooManyCases) } else { Ok(()) }
    }

    /// The values of a term.
    fn cases(&mut self, term: &Arc<Term>) -> Result<Cases, SymbolicError> {
        if let Some(known) = self.known.get(&Arc::as_ptr(term)) {
            return Ok(known.clone());
        }
        let set = self.layout.variables.set();
        let mut cases = Cases::new();
        match &**term {
            Term::Constant(value) => self.add(&mut cases, *value, set.mk_true())?,
            Term::Input(at) => self.add(&mut cases, self.inputs[*at as usize], set.mk_true())?,
            Term::Variable(variable) => {
                for value in &self.layout.domains[variable.0 as usize] {
                    self.add(&mut cases, *value, self.layout.has(*variable, *value))?;
                }
            }
            Term::Unary(operator, operand) => {
                for (value, condition) in self.cases(operand)? {
                    self.add(&mut cases, operator.apply(value), condition)?;
                }
            }
            Term::Binary(operator, left, right) => {
                let (left, right) = (self.cases(left)?, self.cases(right)?);
                for (one, holds) in &left {
                    // What decides alone needs no look at the other.
                    let decided = match operator {
                        BinaryOperator::And if *one == 0 => Some(0),
                        BinaryOperator::Or if *one != 0 => Some(1),
                        _ => None,
                    };
                    if let Some(value) = decided {
                        self.add(&mut cases, value, holds.clone())?;
                        continue;
                    }
                    for (other, also) in &right {
                        let value = operator.apply(*one, *other).unwrap_or_default();
                        self.add(&mut cases, value, self.layout.and(holds, also))?;
                    }
                }
            }
            Term::Defined(operator, left, right) => {
                let (left, right) = (self.cases(left)?, self.cases(right)?);
                for (one, holds) in &left {
                    for (other, also) in &right {
                        let value = Value::from(operator.apply(*one, *other).is_ok());
                        self.add(&mut cases, value, self.layout.and(holds, also))?;
                    }
                }
            }
            Term::If(condition, then, otherwise) => {
                let condition = self.truth(condition)?;
                for (value, holds) in self.cases(then)? {
                    self.add(&mut cases, value, self.layout.and(&holds, &condition))?;
                }
                for (value, holds) in self.cases(otherwise)? {
                    self.add(&mut cases, value, self.layout.and_not(&holds, &condition))?;
                }
            }
        }
        self.known.insert(Arc::as_ptr(term), cases.clone());
        Ok(cases)
    }

    /// Where a term is not 0.
    fn truth(&mut self, term: &Arc<Term>) -> Result<Bdd, SymbolicError> {
        let false_ = self.layout.variables.set().mk_false();
        let cases = self.cases(term)?;
        Ok(cases
            .iter()
            .filter(|(value, _)| **value != 0)
            .fold(false_, |any, (_, condition)| self.layout.or(&any, condition)))
    }

    fn all(&mut self, terms: &[Arc<Term>], begin: Bdd) -> Result<Bdd, SymbolicError> {
        let mut all = begin;
        for term in terms {
            if all.is_false() {
                break;
            }
            let truth = self.truth(term)?;
            all = self.layout.and(&all, &truth);
        }
        Ok(all)
    }
}

/// All combinations of the values of inputs.
fn combinations(inputs: &[Input]) -> Result<Vec<Vec<Value>>, SymbolicError> {
    let count = inputs.iter().fold(1_u128, |count, input| count.saturating_mul(input.count()));
    if count > MOST_INPUTS {
        return Err(ProgramError::from(StateError::TooManyInputs(count)).into());
    }
    let mut all = vec![Vec::new()];
    for input in inputs {
        let with = |chosen: &Vec<Value>, value| chosen.iter().copied().chain([value]).collect();
        all = all.iter().flat_map(|chosen| input.values().map(move |value| with(chosen, value))).collect();
    }
    Ok(all)
}

/// A value that a variable gets, and has no number for yet, with where that happens.
struct Leaves {
    variable: Variable,
    value: Value,
    at: Bdd,
}

/// The edges of a program, as far as values have numbers.
struct Built {
    parts: Vec<Part>,
    leaves: Vec<Leaves>,
    start: Bdd,
    random: Bdd,
    /// By thread: where it can move.
    enabled: Vec<Bdd>,
}

/// The states of a program as decision diagrams.
pub struct ProgramDiagrams {
    system: Rc<System>,
    buffered: Option<Buffered>,
    layout: Layout,
    diagrams: Rc<Diagrams>,
    start: Diagram,
    enabled: Vec<Bdd>,
}

/// A run as states, and the steps between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicRun {
    /// From the first state to the one before the cycle, each with the step that leads on.
    pub stem: Vec<(State, TransitionId)>,
    /// The cycle, whose last step leads to its first state.
    pub cycle: Vec<(State, TransitionId)>,
}

struct Builder<'s> {
    system: &'s System,
    layout: &'s Layout,
    semantics: Semantics,
}

impl Builder<'_> {
    /// Where a step can be taken, with some values of its inputs.
    fn guard(&self, transition: &Transition, ok: &Bdd, reader: &mut Reader<'_>) -> Result<Bdd, SymbolicError> {
        let at = self.layout.at(usize::from(transition.thread), transition.from);
        reader.all(&transition.guard, self.layout.and(&at, ok))
    }

    fn build(&self, budget: &mut Budget) -> Result<Built, SymbolicError> {
        let (system, layout) = (self.system, self.layout);
        let set = layout.variables.set();
        let mut ok = set.mk_true();
        for (at, thread) in system.threads.iter().enumerate() {
            for (point, _) in (0..).zip(&thread.points).filter(|(_, point)| point.is_error()) {
                ok = layout.and_not(&ok, &layout.at(at, PointId(point)));
            }
        }
        let mut built = Built {
            parts: Vec::new(),
            leaves: Vec::new(),
            start: self.start()?,
            random: set.mk_false(),
            enabled: Vec::new(),
        };
        let nobody_chooses = layout.is(&layout.choice, 0);
        if self.semantics.random_scheduler {
            built.random = nobody_chooses.clone();
        }
        for thread in 0..system.threads.len() {
            // By what changes: the steps of a thread that change the same bits are one part.
            let mut grouped: BTreeMap<BTreeSet<usize>, Bdd> = BTreeMap::new();
            let (mut enabled, mut chooses, mut tosses) = (set.mk_false(), set.mk_false(), set.mk_false());
            for transition in system.transitions.iter().filter(|step| usize::from(step.thread) == thread) {
                let is_coin = transition.inputs.iter().any(Input::is_random);
                let is_choice = is_coin || self.semantics.random_scheduler && !transition.inputs.is_empty();
                for inputs in combinations(&transition.inputs)? {
                    budget.spend(LOOK).map_err(|_| SymbolicError::Paused)?;
                    let mut reader = Reader { layout, inputs: &inputs, known: BTreeMap::new() };
                    let guard = self.guard(transition, &ok, &mut reader)?;
                    if guard.is_false() {
                        continue;
                    }
                    enabled = layout.or(&enabled, &guard);
                    if is_choice {
                        chooses = layout.or(&chooses, &guard);
                    }
                    if is_coin {
                        tosses = layout.or(&tosses, &guard);
                    }
                    let chosen = if is_choice { thread + 1 } else { 0 };
                    let guard = layout.and(&guard, &layout.is(&layout.choice, chosen));
                    let (changes, relation) = self.step(transition, guard, &mut reader, &mut built.leaves)?;
                    let joined = grouped.get(&changes).map(|other| layout.or(other, &relation)).unwrap_or(relation);
                    layout.look()?;
                    grouped.insert(changes, joined);
                }
            }
            let to_parts =
                |(changes, relation): (BTreeSet<usize>, Bdd)| Part { relation, changes: changes.into_iter().collect() };
            built.parts.extend(grouped.into_iter().map(to_parts));
            if !chooses.is_false() {
                let [choice, last] = [&layout.choice, &layout.last].map(|field| layout.becomes(field, thread + 1));
                let relation = layout.and(&layout.and(&chooses, &nobody_chooses), &layout.and(&choice, &last));
                let changes = [&layout.choice, &layout.last].iter().flat_map(|field| field.bits.clone()).collect();
                built.parts.push(Part { relation, changes });
            }
            let tossed = layout.and(&tosses, &layout.is(&layout.choice, thread + 1));
            built.random = layout.or(&built.random, &tossed);
            built.enabled.push(enabled);
        }
        Ok(built)
    }

    /// The bits that a step changes, and how.
    fn step(
        &self,
        transition: &Transition,
        guard: Bdd,
        reader: &mut Reader<'_>,
        leaves: &mut Vec<Leaves>,
    ) -> Result<(BTreeSet<usize>, Bdd), SymbolicError> {
        let layout = self.layout;
        let thread = usize::from(transition.thread);
        let mut relation = guard.clone();
        let mut changes = BTreeSet::new();
        for (field, number) in
            [(&layout.choice, 0), (&layout.last, thread + 1), (&layout.points[thread], transition.to.0 as usize)]
        {
            relation = layout.and(&relation, &layout.becomes(field, number));
            changes.extend(&field.bits);
        }
        let assigned = |variable: &Variable| transition.assignments.iter().any(|(other, _)| other == variable);
        let forgotten = transition.forgets.iter().filter(|variable| !assigned(variable));
        for variable in forgotten {
            let at = variable.0 as usize;
            let number = layout.domains[at].binary_search(&0).unwrap_or(0);
            relation = layout.and(&relation, &layout.becomes(&layout.values[at], number));
            changes.extend(&layout.values[at].bits);
        }
        for (variable, term) in &transition.assignments {
            let at = variable.0 as usize;
            let mut becomes = layout.variables.set().mk_false();
            for (value, condition) in reader.cases(term)? {
                match layout.domains[at].binary_search(&value) {
                    Ok(number) => {
                        let to = layout.becomes(&layout.values[at], number);
                        becomes = layout.or(&becomes, &layout.and(&condition, &to));
                    }
                    Err(_) => {
                        let at = layout.and(&condition, &guard);
                        if !at.is_false() {
                            leaves.push(Leaves { variable: *variable, value, at });
                        }
                    }
                }
            }
            relation = layout.and(&relation, &becomes);
            changes.extend(&layout.values[at].bits);
        }
        Ok((changes, relation))
    }

    fn start(&self) -> Result<Bdd, SymbolicError> {
        let (system, layout) = (self.system, self.layout);
        let mut start = layout.and(&layout.is(&layout.choice, 0), &layout.is(&layout.last, 0));
        for (at, thread) in system.threads.iter().enumerate() {
            start = layout.and(&start, &layout.at(at, thread.start));
        }
        for (at, value) in system.initial.iter().enumerate() {
            let variable = Variable(at as u32);
            let input = system.inputs.iter().find(|(of, _)| *of == variable);
            let values = match input {
                None => layout.has(variable, *value),
                Some((_, input)) => {
                    let none = layout.variables.set().mk_false();
                    input.values().fold(none, |any, value| layout.or(&any, &layout.has(variable, value)))
                }
            };
            start = layout.and(&start, &values);
        }
        let mut reader = Reader { layout, inputs: &[], known: BTreeMap::new() };
        reader.all(&system.assuming, start)
    }
}

/// The values that are known before a step is taken: those at the start, and those that are declared.
fn first_domains(system: &System) -> Result<Vec<BTreeSet<Value>>, SymbolicError> {
    let too_many = |variable: Variable| SymbolicError::TooManyValues(system.names[variable.0 as usize].clone());
    let mut domains: Vec<BTreeSet<Value>> = system.initial.iter().map(|value| BTreeSet::from([*value])).collect();
    for register in domains.iter_mut().skip(system.shared()) {
        register.insert(0);
    }
    for (variable, input) in &system.inputs {
        if input.count() > MOST_VALUES as u128 {
            return Err(too_many(*variable));
        }
        domains[variable.0 as usize].extend(input.values());
    }
    for (variable, first, last) in &system.ranges {
        if i128::from(*last) - i128::from(*first) >= MOST_VALUES as i128 {
            return Err(too_many(*variable));
        }
        domains[variable.0 as usize].extend(*first..=*last);
    }
    Ok(domains)
}

impl ProgramDiagrams {
    /// The diagrams of a transition system: all that one gets to. They hold up to so many nodes.
    ///
    /// # Errors
    /// [`SymbolicError`] for too many values, bits or nodes, or if the budget is used up.
    pub fn of(
        system: Rc<System>,
        semantics: Semantics,
        order: Order,
        nodes: usize,
        budget: &mut Budget,
    ) -> Result<Self, SymbolicError> {
        let buffered = semantics.buffers.map(|(buffers, entries)| Buffered::of(&system, buffers, entries));
        let system = buffered.as_ref().map_or(system, |buffered| Rc::new(buffered.system.clone()));
        refuse_mixed(&system)?;
        let has_inputs = |of: fn(&Input) -> bool| system.transitions.iter().any(|step| step.inputs.iter().any(of));
        let has_choices = has_inputs(Input::is_random) || semantics.random_scheduler && has_inputs(|_| true);
        let mut domains = first_domains(&system)?;
        let (mut guessed, mut guesses) = (GUESSED, true);
        loop {
            budget.spend(LOOK).map_err(|_| SymbolicError::Paused)?;
            let sorted = domains.iter().map(|domain| domain.iter().copied().collect()).collect();
            let layout = Layout::new(&system, sorted, has_choices, order)?;
            let built = Builder { system: &system, layout: &layout, semantics }.build(budget)?;
            let leaves = built.leaves;
            if guesses {
                let mut is_new = false;
                for Leaves { variable, value, .. } in &leaves {
                    let domain = &mut domains[variable.0 as usize];
                    is_new |= domain.len() < guessed && domain.insert(*value);
                }
                guesses = is_new;
                if is_new {
                    continue;
                }
            }
            let all = layout.variables.set().mk_true();
            let variables = layout.variables.clone();
            let mut diagrams = Diagrams::from_parts(variables, built.parts, all, &built.random).limited(nodes);
            let start = diagrams.those(&built.start);
            diagrams.reach(&start, budget)?;
            let reached = diagrams.all();
            let mut is_new = false;
            for Leaves { variable, value, at } in leaves {
                if !diagrams.is_empty(&diagrams.intersection(&reached, &diagrams.those(&at))) {
                    let domain = &mut domains[variable.0 as usize];
                    is_new |= domain.insert(value);
                    if domain.len() > MOST_VALUES {
                        return Err(SymbolicError::TooManyValues(system.names[variable.0 as usize].clone()));
                    }
                }
            }
            if is_new {
                // Counters go on: more is guessed, so that not each value takes a look at all that is reached.
                (guessed, guesses) = (2 * guessed, true);
                continue;
            }
            return Ok(Self { system, buffered, layout, diagrams: Rc::new(diagrams), start, enabled: built.enabled });
        }
    }

    /// The transition system, with the movers of buffers as threads.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Its vertices and edges.
    pub fn diagrams(&self) -> &Rc<Diagrams> {
        &self.diagrams
    }

    /// How many threads are the program's own.
    pub fn threads(&self) -> usize {
        self.buffered.as_ref().map_or(self.system.threads.len(), |buffered| buffered.threads)
    }

    /// Where runs start.
    pub fn starts(&self) -> Diagram {
        self.start.clone()
    }

    /// Whether chance decides anything.
    pub fn has_chance(&self) -> bool {
        !self.diagrams.is_empty(self.diagrams.random())
    }

    /// The parts of a vertex in the order in which diagrams ask for them, each with how many bits it has.
    pub fn order(&self) -> Vec<(String, usize)> {
        let names = |thread: usize| format!("point of {}", self.system.threads[thread].name);
        let mut parts: Vec<(usize, String, usize)> = Vec::new();
        let mut part = |name: String, field: &Field| {
            let first = field.bits.iter().map(|bit| self.layout.variables.place(*bit)).min();
            parts.extend(first.map(|first| (first, name, field.bits.len())));
        };
        part("who chooses next".to_owned(), &self.layout.choice);
        part("who moved last".to_owned(), &self.layout.last);
        self.layout.points.iter().enumerate().for_each(|(thread, field)| part(names(thread), field));
        self.layout.values.iter().zip(&self.system.names).for_each(|(field, name)| part(name.clone(), field));
        parts.sort_unstable();
        parts.into_iter().map(|(_, name, bits)| (name, bits)).collect()
    }

    /// The values that a variable may have, ascending.
    pub fn values(&self, variable: Variable) -> &[Value] {
        &self.layout.domains[variable.0 as usize]
    }

    /// Where a thread waits only because its buffer is full.
    fn waits_for_room(&self, thread: u16) -> Bdd {
        let none = self.layout.variables.set().mk_false();
        let Some(buffered) = &self.buffered else { return none };
        let own = buffered.writing().filter(|(of, ..)| *of == thread);
        own.fold(none, |any, (thread, point, last)| {
            let here = self.layout.at(usize::from(thread), point);
            any.or(&here.and_not(&self.layout.has(last, 0)))
        })
    }

    /// Whether a thread ever waits only because its buffer is full.
    pub fn is_bounded(&self) -> bool {
        let waits = |thread: u16| !self.diagrams.is_empty(&self.diagrams.those(&self.waits_for_room(thread)));
        (0..self.threads() as u16).any(waits)
    }

    /// Whether a value ever leaves its declared range.
    pub fn leaves_range(&self) -> bool {
        let is_left = |point: &Point| matches!(point.kind, PointKind::Error(Fault::OutOfRange(_)));
        self.system.threads.iter().enumerate().any(|(thread, own)| {
            let points = (0..).map(PointId).zip(&own.points).filter(|(_, point)| is_left(point));
            points.into_iter().any(|(point, _)| {
                let there = self.diagrams.those(&self.layout.at(thread, point));
                !self.diagrams.is_empty(&there)
            })
        })
    }

    fn holds(&self, claim: &Claim) -> Bdd {
        let set = self.layout.variables.set();
        let points = |thread: u16, fits: &dyn Fn(&Point) -> bool| {
            let all = &self.system.threads[usize::from(thread)].points;
            let fitting = (0..).zip(all).filter(|(_, point)| fits(point));
            fitting.fold(set.mk_false(), |any, (at, _)| any.or(&self.layout.at(usize::from(thread), PointId(at))))
        };
        match claim {
            Claim::At(thread, lines) => {
                points(*thread, &|point| point.kind != PointKind::Ended && lines.contains(&point.span.line))
            }
            Claim::Standing(thread, stands) => {
                stands.iter().fold(set.mk_false(), |any, point| any.or(&self.layout.at(usize::from(*thread), *point)))
            }
            Claim::Ended(thread) => points(*thread, &|point| point.kind == PointKind::Ended),
            Claim::Has(variable, value) => self.layout.has(*variable, *value),
            Claim::Enabled(thread) => self.enabled[usize::from(*thread)].or(&self.waits_for_room(*thread)),
            Claim::Moved(thread) => self.layout.is(&self.layout.last, usize::from(*thread) + 1),
            Claim::Label(_) => set.mk_false(),
            Claim::Not(claim) => self.holds(claim).not(),
            Claim::All(claims) => claims.iter().fold(set.mk_true(), |all, claim| all.and(&self.holds(claim))),
            Claim::Any(claims) => claims.iter().fold(set.mk_false(), |any, claim| any.or(&self.holds(claim))),
        }
    }

    /// The vertices of which something is so.
    pub fn set(&self, claim: &Claim) -> Diagram {
        self.diagrams.those(&self.holds(claim))
    }

    /// All pairs of a promise and questions.
    pub fn objective(&self, promises: impl Into<Promises>, questions: &[Question]) -> Pairs<Diagram> {
        let promises = promises.into();
        let threads = 0..self.system.threads.len() as u16;
        let promise = |thread: u16| promise_claims(thread, promised(&promises, thread, self.threads()));
        let asked = questions.iter().map(Question::pair);
        let claims = threads.filter_map(promise).chain(asked);
        claims.map(|(asks, gets)| (self.set(&asks), self.set(&gets))).collect()
    }

    /// The machine that looks for runs that a scheduler with this promise allows, and that answer the questions; where chance decides something, for
    /// strategies that do so almost surely.
    pub fn machine(
        &self,
        promises: impl Into<Promises>,
        questions: &[Question],
        way: Way,
        options: Options,
    ) -> Machine<Diagrams> {
        let pairs = self.objective(promises, questions);
        if self.has_chance() {
            crate::streett_by_chance(Rc::clone(&self.diagrams), pairs, way, options)
        } else {
            crate::streett(Rc::clone(&self.diagrams), pairs, way, options)
        }
    }

    /// A run from the start into a good component of an answer, and round in it, if one starts where one wins. Steps at which nobody moves are
    /// left out.
    pub fn found(&self, pairs: &Pairs<Diagram>, answer: &Answer<Diagram>) -> Option<SymbolicRun> {
        let universe = &*self.diagrams;
        let starts = universe.intersection(&self.start, &answer.winning);
        if universe.is_empty(&starts) {
            return None;
        }
        let good = answer.components.iter().fold(universe.none(), |all, one| universe.union(&all, one));
        let mut stem = self.way(&universe.pick(&starts), &good, &universe.all(), false)?;
        let first = stem.pop()?;
        let component = answer.components.iter().find(|one| !universe.is_empty(&universe.intersection(one, &first)))?;
        let mut cycle = vec![first.clone()];
        for (asks, gets) in pairs {
            let meets = |one: &Diagram, other: &Diagram| !universe.is_empty(&universe.intersection(one, other));
            if !meets(asks, component) || cycle.iter().any(|at| meets(gets, at)) {
                continue;
            }
            let to = universe.intersection(gets, component);
            let way = self.way(cycle.last()?, &to, component, false)?;
            cycle.extend(way.into_iter().skip(1));
        }
        let mut back = self.way(cycle.last()?, &first, component, true)?;
        back.pop();
        cycle.extend(back.into_iter().skip(1));
        let end = first;
        let all: Vec<Diagram> = stem.iter().chain(&cycle).chain([&end]).cloned().collect();
        let states: Vec<State> = all.iter().map(|vertex| self.state(vertex)).collect();
        let mut steps = Vec::new();
        for (at, pair) in states.windows(2).enumerate() {
            let mover = self.field(&all[at + 1], &self.layout.last);
            let is_choice = self.field(&all[at + 1], &self.layout.choice) != 0;
            let step = (!is_choice).then(|| self.step(&pair[0], mover.checked_sub(1)?, &pair[1])).flatten();
            steps.push(step.map(|step| (pair[0].clone(), step)));
        }
        let cycle = steps.split_off(stem.len()).into_iter().flatten().collect();
        Some(SymbolicRun { stem: steps.into_iter().flatten().collect(), cycle })
    }

    /// A shortest way from a vertex to one of some others within a set; with at least one edge, if it `moves`.
    fn way(&self, from: &Diagram, to: &Diagram, within: &Diagram, moves: bool) -> Option<Vec<Diagram>> {
        let universe = &*self.diagrams;
        let meets = |one: &Diagram| {
            let both = universe.intersection(one, to);
            (!universe.is_empty(&both)).then_some(both)
        };
        if !moves && meets(from).is_some() {
            return Some(vec![from.clone()]);
        }
        let mut layers = vec![from.clone()];
        let mut known = if moves { universe.none() } else { from.clone() };
        loop {
            let next = universe.intersection(&universe.post(layers.last()?), within);
            let next = universe.difference(&next, &known);
            if universe.is_empty(&next) {
                return None;
            }
            if let Some(both) = meets(&next) {
                let mut way = vec![universe.pick(&both)];
                while let Some(layer) = layers.pop() {
                    let before = universe.intersection(&universe.pre(way.last()?), &layer);
                    way.push(universe.pick(&before));
                }
                way.reverse();
                return Some(way);
            }
            known = universe.union(&known, &next);
            layers.push(next);
        }
    }

    /// A part of a single vertex.
    fn field(&self, vertex: &Diagram, field: &Field) -> usize {
        let universe = &*self.diagrams;
        field.bits.iter().fold(0, |number, bit| {
            let set = universe.those(&self.layout.variables.now(*bit));
            number << 1 | usize::from(!universe.is_empty(&universe.intersection(vertex, &set)))
        })
    }

    /// The state of a single vertex.
    fn state(&self, vertex: &Diagram) -> State {
        let point = |field: &Field| PointId(self.field(vertex, field) as u32);
        let value = |(field, domain): (&Field, &Vec<Value>)| domain.get(self.field(vertex, field)).copied();
        let values = self.layout.values.iter().zip(&self.layout.domains).map(|pair| value(pair).unwrap_or_default());
        State { points: self.layout.points.iter().map(point).collect(), values: values.collect() }
    }

    fn step(&self, from: &State, thread: usize, to: &State) -> Option<TransitionId> {
        let successors = self.system.successors(from, thread).ok()?;
        successors.into_iter().find(|next: &Successor| next.state == *to).map(|next| next.transition)
    }
}
