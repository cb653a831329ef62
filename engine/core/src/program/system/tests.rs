//! Systems against the interpreter, and exact numbers of states.

use super::{EventKind, Fault, Holds, PointKind, State, States, System, SystemError};
use crate::program::interpreter::evaluate;
use crate::program::{
    CasResult, Code, InstructionKind, Location, Notation, ObjectKind, Operand, Target, Update, Value,
};
use crate::random::Random;
use crate::syntax::parse;
use crate::testing::looping::{Shape, looping};
use crate::testing::{sample, sample_client, seeds};

fn system(text: &str) -> System {
    let program = parse(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}")).program;
    let code = Code::compile(&program).expect("code");
    System::of(&program, &code).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// States, steps, states with errors, deadlocks.
fn counts(text: &str) -> (usize, usize, usize, usize) {
    let system = system(text);
    let states = States::of(&system, 100_000).expect("few states");
    (states.states.len(), states.transitions(), states.errors(&system).len(), states.deadlocks(&system).len())
}

/// A buffer with that many places; without room, a thread goes on, or that is an error.
fn buffer(places: u32, producers: usize, consumers: usize, otherwise: &str) -> String {
    let producer =
        format!("while 1 {{ lock m; if count < {places} {{ atomic {{ count := count + 1 }} }}{otherwise}; unlock m }}");
    let consumer = format!("while 1 {{ lock m; if count > 0 {{ fetch_sub(count, 1) }}{otherwise}; unlock m }}");
    let threads: Vec<_> =
        std::iter::repeat_n(producer, producers).chain(std::iter::repeat_n(consumer, consumers)).collect();
    format!("shared m, count\n{}", threads.join("\n||\n"))
}

#[test]
fn producers_and_consumers_have_the_states_of_the_closed_forms() {
    for n in [1, 2, 5] {
        let states = 7 * n as usize + 3;
        assert_eq!(counts(&buffer(n, 1, 1, "")), (states, 8 * n as usize + 4, 0, 0), "{n} places");
        let (with_errors, _, errors, deadlocks) = counts(&buffer(n, 1, 1, " else { error }"));
        assert_eq!((with_errors, errors, deadlocks), (states + 2, 2, 0), "{n} places");
    }
    for (n, p, c) in [(2, 2, 2), (3, 1, 2), (1000, 4, 4)] {
        let states = n + 1 + (p + c) * (3 * n + 1);
        assert_eq!(counts(&buffer(n as u32, p, c, "")).0, states, "{p} producers, {c} consumers, {n} places");
    }
}

const DOUBLE: [&str; 2] = [
    "while 1 { lock m1; lock m2; skip; fence; unlock m2; unlock m1 }",
    "while 1 { lock m2; lock m1; skip; fence; unlock m1; unlock m2 }",
];

#[test]
fn two_locks_in_different_orders_deadlock() {
    let text = format!("shared m1, m2\n{}\n||\n{}", DOUBLE[0], DOUBLE[1]);
    assert_eq!(counts(&text), (12, 16, 0, 1));
    let system = system(&text);
    let states = States::of(&system, 100).expect("few");
    let [deadlock] = states.deadlocks(&system)[..] else { panic!("one deadlock") };
    assert_eq!(states.way_to(deadlock).1.len(), 2);
    let corrected = format!("shared m1, m2\n{}\n||\n{}", DOUBLE[0], DOUBLE[0]);
    assert_eq!(counts(&corrected), (9, 10, 0, 0));
}

/// The least number of steps to an error.
fn shortest(text: &str) -> Option<usize> {
    let system = system(text);
    let states = States::of(&system, 100_000).expect("few");
    states.errors(&system).into_iter().map(|error| states.way_to(error).1.len()).min()
}

#[test]
fn a_buffer_that_is_checked_before_it_is_locked_goes_wrong() {
    let racy = |places: u32, producers: usize, consumers: usize| {
        let thread = |check: String, update: &str| {
            format!("while 1 {{ if {check} {{ lock m; assert {check}; {update}; unlock m }} }}")
        };
        let producer = thread(format!("count < {places}"), "fai(count)");
        let consumer = thread("count > 0".to_owned(), "fetch_sub(count, 1)");
        let threads: Vec<_> =
            std::iter::repeat_n(producer, producers).chain(std::iter::repeat_n(consumer, consumers)).collect();
        format!("shared m, count\n{}", threads.join("\n||\n"))
    };
    for (places, producers, consumers, steps) in
        [(1, 2, 0, Some(8)), (1, 2, 1, Some(8)), (2, 2, 1, Some(13)), (1, 1, 1, None), (1, 1, 2, Some(13))]
    {
        assert_eq!(
            shortest(&racy(places, producers, consumers)),
            steps,
            "{places} places, {producers} and {consumers}"
        );
    }
}

#[test]
fn what_waits_waits_for_others() {
    // An assumption belongs to the read before it; behind a write it is for good.
    let text = "shared x\nassume x = 1; x := 2 || x := 1";
    assert_eq!(counts(text), (4, 3, 0, 0));
    let text = "shared x\nx := 1; assume r = 1; x := 2";
    assert_eq!(counts(text), (2, 1, 0, 1));
    // An atomic block waits as a whole.
    let text = "shared x, y\natomic { assume x = 1; y := 1 } || x := 1";
    assert_eq!(counts(text), (3, 2, 0, 0));
    let text = "shared c\nsend(c, 1); send(c, 2) || a := receive(c); b := receive(c)";
    assert_eq!(counts(text).3, 0);
    let text = "shared x\nx := 1 || x := 2\nafter { a := x; assert a > 0 }";
    assert_eq!(counts(text).2, 0);
    let text = "shared m\nlock m || lock m";
    assert_eq!(counts(text).3, 2);
}

#[test]
fn inputs_are_chosen_by_nobody() {
    assert_eq!(counts("shared x = input 0..2\nassuming x > 0\na := x; assert a = 1").2, 1);
    assert_eq!(counts("shared x\na := input 0..3; x := a").0, 1 + 4 + 4);
    assert_eq!(counts("shared x, y = input {0, 5}\natomic { a := input 0..3; x := a + y }").0, 2 + 8);
    let system = system("shared x\na := input 0..3; if a = 2 { error }");
    let states = States::of(&system, 100).expect("few");
    assert_eq!(states.errors(&system).len(), 1);
}

#[test]
fn what_has_no_system_is_said() {
    let error = |text: &str| {
        let program = parse(text).expect("a program").program;
        System::of(&program, &Code::compile(&program).expect("code")).expect_err(text)
    };
    let span = |text: &str| (error(text).span().line, error(text).span().column);
    assert_eq!(span("shared x\nx := 1\nwhile 1 { r := r + 1 }"), (3, 1));
    assert!(matches!(error("shared x = ?\nx := 1"), SystemError::Uninitialised { .. }));
    let text = "shared m[70]\nr := m2; lock m[r]; unlock m[r] || m2 := 1";
    assert!(matches!(error(text), SystemError::TooManyElements { limit: 64, .. }));
}

/// A thread of code, run instruction by instruction with known values: the oracle of the ways that were found with unknown ones.
#[derive(Clone)]
struct Concrete<'c> {
    code: &'c Code,
    threads: Vec<Option<(usize, Vec<Value>)>>,
    memory: Vec<Value>,
    full: Vec<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Goes,
    Waits,
    /// It makes no step that others can see.
    Silent,
    Wrong(Fault),
}

impl Concrete<'_> {
    fn value(&self, thread: usize, operand: &Operand) -> Result<Value, Outcome> {
        let registers = &self.threads[thread].as_ref().expect("it goes on").1;
        evaluate(operand, registers).map_err(|error| Outcome::Wrong(Fault::Evaluation(error)))
    }

    fn location(&self, thread: usize, target: &Target) -> Result<usize, Outcome> {
        let (object, offset) = match target {
            Target::Element(object, None) => (*object, 0),
            Target::Element(object, Some(index)) => (*object, self.value(thread, index)?),
            Target::Pointee(address) => {
                let address = self.value(thread, address)?;
                let address = self.code.address(address).ok_or(Outcome::Wrong(Fault::NotAnAddress))?;
                let kind = self.code.kinds[usize::from(address.object.0)];
                let location = self.code.location(address.object, address.offset.into());
                let location = location.filter(|_| kind == ObjectKind::Memory);
                return location.map(|location| location.0 as usize).ok_or(Outcome::Wrong(Fault::NotMemory));
            }
        };
        let location = self.code.location(object, offset).ok_or(Outcome::Wrong(Fault::OutOfBounds(object)))?;
        Ok(location.0 as usize)
    }

    /// Runs a thread from its event, or its start, up to its next one.
    fn step(&mut self, thread: usize, starts: bool, inputs: &[Value]) -> Outcome {
        let before = self.clone();
        match self.run(thread, starts, &mut inputs.iter()) {
            Ok(()) => Outcome::Goes,
            Err(outcome) => {
                if outcome == Outcome::Waits {
                    *self = before;
                }
                outcome
            }
        }
    }

    fn run(&mut self, thread: usize, starts: bool, inputs: &mut std::slice::Iter<Value>) -> Result<(), Outcome> {
        let instructions = &self.code.threads[thread].instructions;
        let (mut first, mut atomic, mut waits) = (!starts, false, !starts);
        for _ in 0..1000 {
            let pc = self.threads[thread].as_ref().expect("it goes on").0;
            let Some(instruction) = instructions.get(pc) else { return Ok(()) };
            let kind = &instruction.kind;
            let mut next = pc + 1;
            let mut assigned = Vec::new();
            let is_local = match kind {
                InstructionKind::Assign { register, value } => {
                    assigned.push((*register, self.value(thread, value)?));
                    true
                }
                InstructionKind::Jump(target) => {
                    next = *target;
                    true
                }
                InstructionKind::Branch { condition, otherwise } => {
                    if self.value(thread, condition)? == 0 {
                        next = *otherwise;
                    }
                    true
                }
                InstructionKind::Assert(condition) => {
                    if self.value(thread, condition)? == 0 {
                        return Err(Outcome::Wrong(Fault::AssertionViolated));
                    }
                    true
                }
                InstructionKind::Assume(condition) => {
                    if self.value(thread, condition)? == 0 {
                        if atomic || waits {
                            return Err(Outcome::Waits);
                        }
                        // It stays here for good.
                        return Ok(());
                    }
                    true
                }
                InstructionKind::EnterLoop(_) | InstructionKind::Head(_) | InstructionKind::Round(_) => true,
                InstructionKind::EndAtomic => {
                    atomic = false;
                    true
                }
                _ => false,
            };
            if !is_local {
                if !first && !atomic {
                    return Ok(());
                }
                first = false;
                match kind {
                    InstructionKind::Atomic(_) => atomic = true,
                    InstructionKind::Fence(_) => {}
                    InstructionKind::Input { register, .. } => {
                        assigned.push((*register, *inputs.next().expect("an input")));
                    }
                    InstructionKind::Read { register, target, .. } => {
                        let at = self.location(thread, target)?;
                        assigned.push((*register, self.memory[at]));
                    }
                    InstructionKind::Write { target, value, .. } => {
                        let (at, value) = (self.location(thread, target)?, self.value(thread, value)?);
                        self.memory[at] = value;
                        waits = false;
                    }
                    InstructionKind::Update { register, target, operator, operand, integer, .. } => {
                        let (at, operand) = (self.location(thread, target)?, self.value(thread, operand)?);
                        let written = Update::Fetch(*operator, operand, *integer).written(self.memory[at]);
                        assigned.push((*register, self.memory[at]));
                        self.memory[at] = written.expect("it writes");
                        waits = false;
                    }
                    InstructionKind::CompareAndSwap { register, target, expected, desired, result, .. } => {
                        let at = self.location(thread, target)?;
                        let (expected, desired) = (self.value(thread, expected)?, self.value(thread, desired)?);
                        let read = self.memory[at];
                        match result {
                            CasResult::ValueRead => assigned.push((*register, read)),
                            CasResult::Success(written_back) => {
                                assigned.extend((read != expected).then_some((*written_back, read)));
                                assigned.push((*register, Value::from(read == expected)));
                            }
                        }
                        if read == expected {
                            self.memory[at] = desired;
                        }
                        waits = false;
                    }
                    InstructionKind::Lock(target) => {
                        let at = self.location(thread, target)?;
                        if self.memory[at] != 0 {
                            return Err(Outcome::Waits);
                        }
                        self.memory[at] = thread as Value + 1;
                        waits = false;
                    }
                    InstructionKind::Unlock(target) => {
                        let at = self.location(thread, target)?;
                        if self.memory[at] != thread as Value + 1 {
                            let (object, _) = self.code.object(Location(at as u32));
                            return Err(Outcome::Wrong(Fault::NotHeld(object)));
                        }
                        self.memory[at] = 0;
                        waits = false;
                    }
                    InstructionKind::Send { target, value } => {
                        let (at, value) = (self.location(thread, target)?, self.value(thread, value)?);
                        if std::mem::replace(&mut self.full[at], true) {
                            return Err(Outcome::Waits);
                        }
                        self.memory[at] = value;
                        waits = false;
                    }
                    InstructionKind::Receive { register, target } => {
                        let at = self.location(thread, target)?;
                        if !std::mem::replace(&mut self.full[at], false) {
                            return Err(Outcome::Waits);
                        }
                        assigned.push((*register, std::mem::take(&mut self.memory[at])));
                        waits = false;
                    }
                    other => panic!("{other:?}"),
                }
            }
            let state = self.threads[thread].as_mut().expect("it goes on");
            state.0 = next;
            for (register, value) in assigned {
                state.1[usize::from(register.0)] = value;
            }
        }
        Err(Outcome::Silent)
    }
}

/// Walks at random through a system, with the oracle beside it.
fn walk(system: &System, code: &Code, random: &mut Random) -> Result<(), String> {
    let starts = system.initial_states().map_err(|error| error.to_string())?;
    if starts.is_empty() {
        return Ok(());
    }
    let mut state: State = starts[random.below(starts.len() as u64) as usize].clone();
    let memory = state.values[..code.cells()].to_vec();
    let registers = code.threads.iter().map(|thread| Some((0, thread.registers.clone()))).collect();
    let mut beside = Concrete { code, threads: registers, full: vec![false; memory.len()], memory };
    for thread in 0..code.threads.len() {
        let outcome = beside.step(thread, true, &[]);
        if outcome == Outcome::Silent {
            return Ok(());
        }
        compare(system, &state, &beside, thread, outcome)?;
    }
    for _ in 0..40 {
        if system.is_error(&state) {
            return Ok(());
        }
        let thread = random.below(code.threads.len() as u64) as usize;
        let point = system.point(thread, state.points[thread]);
        let successors = system.successors(&state, thread).map_err(|error| error.to_string())?;
        if !point.is_active() {
            continue;
        }
        if successors.is_empty() {
            if !point.may_block {
                return Err(format!("{thread} waits where it can't"));
            }
            let is_stuck = point.kind == PointKind::Event(EventKind::Stuck);
            // Whatever is chosen, it waits.
            let mut copy = beside.clone();
            let is_local = point.kind == PointKind::Event(EventKind::Local);
            if !is_stuck && !is_local && copy.step(thread, false, &[0; 8]) != Outcome::Waits {
                return Err(format!("{thread} waits alone"));
            }
            continue;
        }
        let successor = &successors[random.below(successors.len() as u64) as usize];
        if point.kind == PointKind::Event(EventKind::Local) {
            state = successor.state.clone();
            continue;
        }
        let transition = system.transition(successor.transition);
        let before = state.clone();
        state = successor.state.clone();
        for access in &transition.accesses {
            let holds = access.places.iter().filter(|(term, _)| term.evaluate(&before.values, &successor.inputs) != 0);
            let own = if access.writes { &transition.writes } else { &transition.reads };
            if holds.count() != 1 || access.places.iter().any(|(_, variable)| own.binary_search(variable).is_err()) {
                return Err(format!("{access:?} is not to one place"));
            }
        }
        let outcome = beside.step(thread, false, &successor.inputs);
        if outcome == Outcome::Silent {
            return Ok(());
        }
        let kind = &system.point(thread, state.points[thread]).kind;
        if outcome == Outcome::Waits && *kind == PointKind::Event(EventKind::Local) {
            // An assumption behind the head of a loop does not belong to the event in front of it.
            return Ok(());
        }
        if outcome == Outcome::Waits {
            return Err(format!("{thread} goes on alone"));
        }
        compare(system, &state, &beside, thread, outcome)?;
        for (at, (old, new)) in before.values.iter().zip(&state.values).enumerate() {
            let is_shared = at < system.shared();
            let mut places =
                transition.accesses.iter().filter(|access| access.writes).flat_map(|access| &*access.places);
            let writes = places.any(|(term, variable)| {
                variable.0 as usize == at && term.evaluate(&before.values, &successor.inputs) != 0
            });
            if is_shared && old != new && !writes {
                return Err(format!("{thread} writes {} unseen", system.names[at]));
            }
        }
    }
    Ok(())
}

fn compare(
    system: &System,
    state: &State,
    beside: &Concrete<'_>,
    thread: usize,
    outcome: Outcome,
) -> Result<(), String> {
    let point = system.point(thread, state.points[thread]);
    match (&point.kind, outcome) {
        (PointKind::Error(fault), Outcome::Wrong(other)) if *fault == other => return Ok(()),
        // It has not come to that yet.
        (PointKind::Event(EventKind::Local), Outcome::Wrong(_)) => return Ok(()),
        (PointKind::Error(_), _) | (_, Outcome::Wrong(_)) => return Err(format!("{:?} and {outcome:?}", point.kind)),
        _ => {}
    }
    if state.values[..beside.memory.len()] != beside.memory {
        return Err(format!("{:?} and {:?}", state.values, beside.memory));
    }
    let (pc, registers) = beside.threads[thread].as_ref().expect("it goes on");
    let instructions = &beside.code.threads[thread].instructions;
    let is_end = *pc >= instructions.len();
    if point.kind == PointKind::Event(EventKind::Local) {
        return Ok(());
    }
    if is_end != (point.kind == PointKind::Ended) || !is_end && instructions[*pc].span != point.span {
        return Err(format!("{point:?} and {:?}", instructions.get(*pc)));
    }
    for (at, holds) in system.variables.iter().enumerate() {
        if let Holds::Register(of, register) = holds
            && usize::from(*of) == thread
        {
            let is_live = point.live.iter().any(|variable| variable.0 as usize == at);
            let value = if is_live { registers[usize::from(register.0)] } else { 0 };
            if state.values[at] != value {
                return Err(format!("{} is {} and {value}", system.names[at], state.values[at]));
            }
        }
    }
    Ok(())
}

#[test]
fn systems_do_what_code_does() {
    let mut looked_at = 0;
    for seed in seeds(2_000) {
        let text = match seed % 3 {
            0 | 1 => looping(seed, Shape::default()),
            _ if seed % 2 == 0 => crate::syntax::print(&sample(seed), Notation::Litmoscope).expect("it can be written"),
            _ => crate::syntax::print(&sample_client(seed), Notation::Litmoscope).expect("it can be written"),
        };
        let program = parse(&text).unwrap_or_else(|wrong| panic!("seed {seed}\n{text}\n{wrong:#?}")).program;
        let code = Code::compile(&program).unwrap_or_else(|error| panic!("seed {seed}\n{text}\n{error}"));
        let system = match System::of(&program, &code) {
            Ok(system) => system,
            Err(SystemError::Endless { .. } | SystemError::Uninitialised { .. }) => continue,
            Err(error) => panic!("seed {seed}\n{text}\n{error}"),
        };
        looked_at += 1;
        let mut random = Random::new(seed);
        for _ in 0..6 {
            walk(&system, &code, &mut random).unwrap_or_else(|wrong| panic!("seed {seed}\n{text}\n{wrong}"));
        }
    }
    assert!(looked_at > 20, "{looked_at}");
}
