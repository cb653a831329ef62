//! Machines as text.

use super::lex::end_of_line;
use crate::machine::{
    MAX_ENTITIES, MAX_STATES, MAX_VARIABLES, Machine, MachineNames, Operation, Register, RegisterIndex, State, Thread,
    Transition, Variable,
};
use crate::program::Span;
use crate::syntax::Diagnostic;
use crate::syntax::{Cursor, TokenKind, Wrong, wrong};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

const LINES: &str = "lines are `threads T1 T2`, `variables x y`, `registers a: x, b: x`, `start Q`, `Q -> P: W T1 x a`";
/// On how many states there are notes.
const MOST_NOTES: usize = 20;
const OPERATIONS: &str = "operations are `W T1 x a`, `R T1 x a`, `b := a`, `F T1` and `step`";

#[derive(Default)]
struct Reader {
    names: MachineNames,
    states: FxHashMap<String, State>,
    /// By state, as they are named: where it is named first.
    spans: Vec<Span>,
    start: Option<(String, Span)>,
    transitions: Vec<Transition>,
}

/// Reads a machine; the cursor stands behind the word `machine`. With notes on states that it is never in.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<(Machine, Vec<Diagnostic>), Wrong> {
    let mut reader = Reader::default();
    let head = cursor.span();
    if !cursor.is_line_end() {
        cursor.label("a name", LINES)?.0.clone_into(&mut reader.names.name);
    }
    end_of_line(cursor, LINES)?;
    cursor.skip_newlines();
    while !cursor.is_end() {
        reader.line(cursor)?;
        cursor.skip_newlines();
    }
    if reader.transitions.is_empty() {
        return Err(wrong("the machine has no transition", head, "`Q -> Q: R T1 x a` is one"));
    }
    if let Some((start, span)) = &reader.start {
        let Some(first) = reader.states.get(start).copied() else {
            return Err(wrong(
                format!("there is no state `{start}`"),
                *span,
                "the states are those that transitions name",
            ));
        };
        // The first state stands first.
        let swap = |state: &mut State| {
            if *state == first {
                *state = State(0);
            } else if *state == State(0) {
                *state = first;
            }
        };
        for transition in &mut reader.transitions {
            swap(&mut transition.from);
            swap(&mut transition.to);
        }
        reader.names.states.swap(0, first.index());
        reader.spans.swap(0, first.index());
    }
    let spans = reader.spans;
    let machine = Machine::new(reader.names, reader.transitions);
    let (_, is_reached) = machine.reached();
    let unreached = machine.states.iter().zip(spans).zip(is_reached).filter(|(_, is_reached)| !is_reached);
    let note = |((name, span), _): ((&String, Span), bool)| {
        let first = &machine.states[0];
        Diagnostic::note(format!("no run reaches the state `{name}`"), span)
            .with_help(format!("runs begin in `{first}`; write `start {name}` for another first state"))
    };
    let notes = unreached.map(note).take(MOST_NOTES).collect();
    Ok((machine, notes))
}

impl Reader {
    fn line(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Wrong> {
        let (word, span) = cursor.label("a line", LINES)?;
        if cursor.take("->") {
            return self.transition(cursor, word, span);
        }
        match word {
            "threads" => {
                let names = names(cursor, "a thread")?;
                self.names.threads.extend(fresh(&self.names.threads, names, MAX_ENTITIES, "thread")?);
            }
            "variables" => {
                let names = names(cursor, "a variable")?;
                self.names.variables.extend(fresh(&self.names.variables, names, MAX_VARIABLES, "variable")?);
            }
            "registers" => self.registers(cursor)?,
            "start" => {
                let (name, span) = cursor.label("a state", LINES)?;
                self.start = Some((name.to_owned(), span));
            }
            _ => return Err(wrong(format!("no line of a machine begins with `{word}`"), span, LINES)),
        }
        end_of_line(cursor, LINES)
    }

    fn registers(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Wrong> {
        loop {
            let (name, span) = cursor.label("a register", LINES)?;
            if self.names.registers.iter().any(|register| register.name == name) {
                return Err(wrong(format!("there are two registers `{name}`"), span, "give one of them another name"));
            }
            let variable = if cursor.take(":") { Some(self.variable(cursor)?) } else { None };
            self.names.registers.push(Register { name: name.to_owned(), variable });
            if self.names.registers.len() + self.names.threads.len() > MAX_ENTITIES {
                let message = format!("more than {MAX_ENTITIES} threads and registers");
                return Err(wrong(message, span, "a machine can't have more"));
            }
            if !cursor.take(",") {
                return Ok(());
            }
            cursor.skip_newlines();
        }
    }

    fn transition(&mut self, cursor: &mut Cursor<'_>, from: &str, span: Span) -> Result<(), Wrong> {
        let (to, to_span) = cursor.label("a state", LINES)?;
        let [from, to] = [(from, span), (to, to_span)].map(|(name, span)| self.state(name, span));
        if self.states.len() > MAX_STATES {
            return Err(wrong(format!("more than {MAX_STATES} states"), span, "a machine can't have more"));
        }
        cursor.expect(":", "a transition is `Q -> P: W T1 x a`")?;
        loop {
            let operation = self.operation(cursor)?;
            self.transitions.push(Transition { from, to, operation, line: span.line });
            if !cursor.take(";") || cursor.is_line_end() {
                break;
            }
        }
        end_of_line(cursor, OPERATIONS)
    }

    fn state(&mut self, name: &str, span: Span) -> State {
        if let Some(state) = self.states.get(name) {
            return *state;
        }
        let state = State(self.names.states.len() as u32);
        self.names.states.push(name.to_owned());
        self.spans.push(span);
        self.states.insert(name.to_owned(), state);
        state
    }

    fn operation(&self, cursor: &mut Cursor<'_>) -> Result<Operation, Wrong> {
        let (word, span) = cursor.label("an operation", OPERATIONS)?;
        if cursor.take(":=") {
            let to = self.register(word, span)?;
            let (name, span) = cursor.label("a register", OPERATIONS)?;
            return Ok(Operation::Copy { to, from: self.register(name, span)? });
        }
        Ok(match word {
            "W" | "R" => {
                let (thread, variable) = (self.thread(cursor)?, self.variable(cursor)?);
                let (name, span) = cursor.label("a register", OPERATIONS)?;
                let register = self.register(name, span)?;
                if word == "W" {
                    Operation::Write { thread, variable, register }
                } else {
                    Operation::Read { thread, variable, register }
                }
            }
            "F" => Operation::Fence { thread: self.thread(cursor)? },
            "step" => Operation::Step,
            _ => return Err(wrong(format!("`{word}` is not an operation"), span, OPERATIONS)),
        })
    }

    fn thread(&self, cursor: &mut Cursor<'_>) -> Result<Thread, Wrong> {
        let (name, span) = cursor.label("a thread", OPERATIONS)?;
        let found = self.names.threads.iter().position(|thread| thread == name);
        let help = "declare threads before: `threads T1 T2`";
        found.map(|at| Thread(at as u8)).ok_or_else(|| wrong(format!("there is no thread `{name}`"), span, help))
    }

    fn variable(&self, cursor: &mut Cursor<'_>) -> Result<Variable, Wrong> {
        let (name, span) = cursor.label("a variable", OPERATIONS)?;
        let found = self.names.variables.iter().position(|variable| variable == name);
        let help = "declare variables before: `variables x y`";
        found.map(|at| Variable(at as u8)).ok_or_else(|| wrong(format!("there is no variable `{name}`"), span, help))
    }

    fn register(&self, name: &str, span: Span) -> Result<RegisterIndex, Wrong> {
        let found = self.names.registers.iter().position(|register| register.name == name);
        let help = "declare registers before: `registers a: x, b: x`";
        found
            .map(|at| RegisterIndex(at as u8))
            .ok_or_else(|| wrong(format!("there is no register `{name}`"), span, help))
    }
}

/// Names in a line, with commas or without.
fn names<'t>(cursor: &mut Cursor<'t>, what: &str) -> Result<Vec<(&'t str, Span)>, Wrong> {
    let mut names = vec![cursor.label(what, LINES)?];
    while cursor.take(",") || matches!(cursor.token().kind, TokenKind::Name | TokenKind::Number) {
        names.push(cursor.label(what, LINES)?);
    }
    Ok(names)
}

fn fresh(known: &[String], names: Vec<(&str, Span)>, most: usize, what: &str) -> Result<Vec<String>, Wrong> {
    let mut found: Vec<String> = Vec::new();
    for (name, span) in names {
        if known.iter().chain(&found).any(|other| other == name) {
            return Err(wrong(format!("there are two {what}s `{name}`"), span, "give one of them another name"));
        }
        if known.len() + found.len() == most {
            return Err(wrong(format!("more than {most} {what}s"), span, "a machine can't have more"));
        }
        found.push(name.to_owned());
    }
    Ok(found)
}

/// Whether a name can stand for a state by itself.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '\''))
}

/// Writes a machine. States whose names are no words are called `s` and their number, with their names in comments.
pub(super) fn print(machine: &Machine) -> String {
    let mut out = format!("machine {}", machine.name).trim_end().to_owned();
    let _ = write!(out, "\nthreads {}\nvariables {}\n", machine.threads.join(" "), machine.variables.join(" "));
    let registers: Vec<String> = machine
        .registers
        .iter()
        .map(|register| match register.variable {
            Some(variable) => format!("{}: {}", register.name, machine.variables[variable.index()]),
            None => register.name.clone(),
        })
        .collect();
    let _ = writeln!(out, "registers {}", registers.join(", "));
    let words = machine.states.iter().all(|name| is_plain(name));
    let state = |state: State| if words { machine.states[state.index()].clone() } else { format!("s{}", state.0) };
    let _ = writeln!(out, "start {}", state(machine.initial()));
    for (at, name) in machine.states.iter().enumerate() {
        let at = State(at as u32);
        if !words {
            let _ = writeln!(out, "# {}: {name}", state(at));
        }
        for (_, transition) in machine.from(at) {
            let operation = machine.operation_text(transition.operation);
            let _ = writeln!(out, "{} -> {}: {operation}", state(at), state(transition.to));
        }
    }
    out
}
