//! Programs on a machine: what a litmus test may see if this is its memory.
//!
//! Reads, writes and fences of the program's threads are the requests that the machine answers, and values go with what registers hold.
//! All runs are looked at, breadth first, so that the run of each outcome is a shortest one. Fences of every mode are requests of one kind;
//! a machine that never answers fences has nothing to wait for, so they do nothing there. Modes of accesses mean nothing.

use super::machine::{Machine, Operation, State, TransitionIndex};
use crate::budget::{Budget, Paused};
use crate::program::{
    Action, Bound, Code, ErrorKind, InstructionKind, Limits, Location, Observable, Program, Span, ThreadState, Value,
};
use crate::syntax::Diagnostic;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

/// How a program ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramOutcome {
    /// A shortest run that ends so.
    pub run: Vec<TransitionIndex>,
    /// Whether it satisfies the proposition of the program's condition; `None` without one.
    pub satisfies: Option<bool>,
}

/// What came of all runs of a program on a machine.
#[derive(Clone, Debug, Default)]
pub struct ProgramRuns {
    /// What an outcome consists of: registers of threads.
    pub observables: Vec<Observable>,
    /// The outcomes by their values, those of short runs first.
    pub outcomes: IndexMap<Vec<Value>, ProgramOutcome, FxBuildHasher>,
    /// Errors of threads by kind and place, each with a shortest run.
    pub errors: IndexMap<(ErrorKind, Span), Vec<TransitionIndex>, FxBuildHasher>,
    /// What cut some thread: outcomes behind that are not known.
    pub cuts: IndexSet<Bound, FxBuildHasher>,
    /// A shortest run behind which some thread asks and is never answered, as nothing at all may happen.
    pub stuck: Option<Vec<TransitionIndex>>,
    /// How many configurations were met.
    pub configurations: u64,
    /// Whether the search was given up at its limit: runs of so many steps were covered.
    pub given_up: Option<u32>,
}

/// What a program needs of a machine, or has that no machine knows.
///
/// # Errors
/// The first of it, with its place in the program, or the beginning.
pub fn fits_machine(machine: &Machine, program: &Program, code: &Code) -> Result<(), Diagnostic> {
    let start = Span { line: 1, column: 1, ..Span::default() };
    let refuse = |message: String, span: Span, help: &str| {
        let span = if span.line == 0 { start } else { span };
        Err(Diagnostic::error(message, span).with_help(help))
    };
    if code.has_handlers() || code.after().is_some() {
        let help = "a protocol runs only programs whose threads all run side by side";
        return refuse("this program has handlers, or threads that begin after others".to_owned(), start, help);
    }
    for (at, object) in program.objects.iter().enumerate() {
        if (0..object.initial.len()).any(|offset| {
            let location = code.location(crate::program::ObjectId(at as u16), offset as Value);
            location.is_some_and(|location| code.is_uninitialised(location))
        }) {
            let message = format!("`{}` has no initial value", object.name);
            return refuse(
                message,
                object.span,
                "a protocol's registers hold initial writes: give the location a \
                                                 value",
            );
        }
    }
    for instruction in code.threads.iter().flat_map(|thread| &thread.instructions) {
        let what = match instruction.kind {
            InstructionKind::Update { .. } | InstructionKind::CompareAndSwap { .. } => "a read-modify-write",
            InstructionKind::Lock(_) | InstructionKind::Unlock(_) => "a mutex",
            InstructionKind::Send { .. } | InstructionKind::Receive { .. } => "a channel",
            InstructionKind::End(_) | InstructionKind::Join(_) => "a thread that waits for others",
            InstructionKind::Get | InstructionKind::Post { .. } => "a message",
            _ => continue,
        };
        let message = format!("{what} can't be run on a protocol");
        return refuse(message, instruction.span, "a protocol answers reads, writes and fences");
    }
    for (what, needed, there) in [
        ("threads", code.threads.len(), machine.threads.len()),
        ("variables", code.initial.len(), machine.variables.len()),
    ] {
        if needed > there {
            let message = format!("the program has {needed} {what}, the protocol {there}");
            return refuse(message, start, &format!("`--set {what}={needed}` gives the protocol more of them"));
        }
    }
    let mut mentioned: Vec<Observable> = program.observed.iter().flatten().copied().collect();
    let condition = program.condition.as_ref();
    condition.iter().for_each(|condition| condition.proposition.observables(&mut mentioned));
    program.filter.iter().for_each(|filter| filter.observables(&mut mentioned));
    if let Some(location) = mentioned.iter().find(|observable| matches!(observable, Observable::Location { .. })) {
        let message = format!("a protocol has no final value of {}", program.observable_name(*location));
        let span = condition.map_or(start, |condition| condition.span);
        return refuse(message, span, "ask for registers of threads: let a thread read the location last");
    }
    Ok(())
}

/// What an outcome of a program on a machine consists of: the registers that its condition or its list mentions, else all.
pub fn register_observables(program: &Program) -> Vec<Observable> {
    let is_register = |observable: &Observable| matches!(observable, Observable::Register { .. });
    program.observables().into_iter().filter(is_register).collect()
}

/// A configuration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Configuration {
    state: State,
    /// By thread of the program: the thread, up to what it asks next.
    threads: Box<[ThreadState]>,
    /// By register of the machine: the value of the write that it holds; what was never written and holds no initial write has 0, and is
    /// never read.
    held: Box<[Value]>,
}

/// The search.
struct Search<'a> {
    machine: &'a Machine,
    program: &'a Program,
    code: &'a Code,
    limits: Limits,
    /// By thread: whether the machine answers its fences.
    fences: Vec<bool>,
    all: Vec<Configuration>,
    /// By configuration: the one before it, and the transition from there.
    parents: Vec<(u32, TransitionIndex)>,
    table: hashbrown::HashTable<u32>,
    runs: ProgramRuns,
}

/// Looks at all runs of a program on a machine that [`fits_machine`], until it has met more than `limit` configurations. How many those are
/// so far is in `met`, for others to look at meanwhile.
///
/// # Errors
/// [`Paused`] if somebody wants to stop.
///
/// # Panics
/// If the program does not fit.
pub fn runs_of_program(
    machine: &Machine,
    program: &Program,
    code: &Code,
    limits: Limits,
    limit: u64,
    met: &AtomicU64,
    budget: &mut Budget,
) -> Result<ProgramRuns, Paused> {
    let mut fences = vec![false; code.threads.len()];
    for transition in machine.transitions() {
        if let Operation::Fence { thread } = transition.operation
            && let Some(fence) = fences.get_mut(thread.index())
        {
            *fence = true;
        }
    }
    let threads = (0..code.threads.len()).map(|thread| ThreadState::new(code, thread)).collect();
    let held = machine.registers.iter().map(|register| {
        let initial = |variable: super::Variable| code.initial.get(variable.index()).copied();
        register.variable.and_then(initial).unwrap_or_default()
    });
    let first = Configuration { state: machine.initial(), threads, held: held.collect() };
    let runs = ProgramRuns { observables: register_observables(program), ..ProgramRuns::default() };
    let (all, parents, table) = (Vec::new(), Vec::new(), hashbrown::HashTable::new());
    let mut search = Search { machine, program, code, limits, fences, all, parents, table, runs };
    search.insert(first, (0, TransitionIndex(0)));
    let (mut at, mut end, mut steps) = (0, 1, 0);
    while at < search.all.len() {
        if at == end {
            end = search.all.len();
            steps += 1;
        }
        search.go_on(at, budget)?;
        at += 1;
        met.store(search.all.len() as u64, Ordering::Relaxed);
        if search.all.len() as u64 > limit {
            search.runs.given_up = Some(steps);
            break;
        }
    }
    search.runs.configurations = search.all.len() as u64;
    Ok(search.runs)
}

/// The values that a run of a program on a machine writes and reads, by its transitions; `None` for what is neither.
pub fn values_of_run(machine: &Machine, code: &Code, limits: Limits, run: &[TransitionIndex]) -> Vec<Option<Value>> {
    let mut threads: Vec<ThreadState> = (0..code.threads.len()).map(|thread| ThreadState::new(code, thread)).collect();
    let initial = |variable: super::Variable| code.initial.get(variable.index()).copied();
    let first = machine.registers.iter().map(|register| register.variable.and_then(initial).unwrap_or_default());
    let mut held: Vec<Value> = first.collect();
    let value = |index: &TransitionIndex| {
        let mut asks = |thread: super::Thread| loop {
            let state = threads.get_mut(thread.index())?;
            match state.advance(code, thread.index(), limits) {
                // The one that is answered comes behind those that are not.
                Action::Fence(_) => state.resume(code, thread.index(), None),
                Action::Write { value, .. } => {
                    state.resume(code, thread.index(), None);
                    return Some(value);
                }
                _ => return None,
            }
        };
        match machine.transition(*index).operation {
            Operation::Write { thread, register, .. } => {
                let value = asks(thread);
                held[register.index()] = value.unwrap_or_default();
                value
            }
            Operation::Read { thread, register, .. } => {
                asks(thread);
                let value = held[register.index()];
                let state = threads.get_mut(thread.index())?;
                matches!(state.advance(code, thread.index(), limits), Action::Read { .. }).then(|| {
                    state.resume(code, thread.index(), Some(value));
                    value
                })
            }
            Operation::Copy { to, from } => {
                held[to.index()] = held[from.index()];
                None
            }
            Operation::Fence { .. } | Operation::Step => None,
        }
    };
    run.iter().map(value).collect()
}

impl Search<'_> {
    fn insert(&mut self, configuration: Configuration, parent: (u32, TransitionIndex)) {
        let hash = |configuration: &Configuration| {
            let mut hasher = FxHasher::default();
            configuration.hash(&mut hasher);
            hasher.finish()
        };
        let (own, all) = (hash(&configuration), &self.all);
        if self.table.find(own, |at| all[*at as usize] == configuration).is_some() {
            return;
        }
        self.table.insert_unique(own, all.len() as u32, |at| hash(&all[*at as usize]));
        self.all.push(configuration);
        self.parents.push(parent);
    }

    fn way_to(&self, at: usize) -> Vec<TransitionIndex> {
        let mut way = Vec::new();
        let mut at = at as u32;
        while at > 0 {
            let (parent, by) = self.parents[at as usize];
            way.push(by);
            at = parent;
        }
        way.reverse();
        way
    }

    /// What may happen in a configuration.
    fn go_on(&mut self, at: usize, budget: &mut Budget) -> Result<(), Paused> {
        let mut configuration = self.all[at].clone();
        let mut actions = Vec::with_capacity(configuration.threads.len());
        for (thread, state) in configuration.threads.iter_mut().enumerate() {
            let action = loop {
                budget.count(16)?;
                match state.advance(self.code, thread, self.limits) {
                    Action::Fence(_) if !self.fences[thread] => state.resume(self.code, thread, None),
                    action => break action,
                }
            };
            let span = state.span(self.code, thread).unwrap_or_default();
            match action {
                Action::Error(kind) => {
                    let way = self.way_to(at);
                    self.runs.errors.entry((kind, span)).or_insert(way);
                    return Ok(());
                }
                Action::Bound(bound) => {
                    self.runs.cuts.insert(bound);
                    return Ok(());
                }
                // A thread that waits for good has no end.
                Action::Stuck | Action::Spin => return Ok(()),
                action => actions.push(action),
            }
        }
        if actions.iter().all(|action| *action == Action::Finished) {
            self.note(at, &configuration);
            return Ok(());
        }
        let mut is_stuck = true;
        let machine = self.machine;
        for (by, transition) in machine.from(configuration.state) {
            budget.count(16)?;
            if let Some(next) = self.taken(&configuration, &actions, transition.operation) {
                is_stuck = false;
                self.insert(Configuration { state: transition.to, ..next }, (at as u32, by));
            }
        }
        if is_stuck && self.runs.stuck.is_none() {
            self.runs.stuck = Some(self.way_to(at));
        }
        Ok(())
    }

    /// What follows if the machine does something; `None` if nobody asked for that.
    fn taken(&self, before: &Configuration, actions: &[Action], operation: Operation) -> Option<Configuration> {
        let mut next = before.clone();
        let location = |variable: super::Variable| Location(u32::from(variable.0));
        match operation {
            Operation::Step => {}
            Operation::Copy { to, from } => next.held[to.index()] = next.held[from.index()],
            Operation::Write { thread, variable, register } => match actions.get(thread.index()) {
                Some(Action::Write { location: asked, value, .. }) if *asked == location(variable) => {
                    next.held[register.index()] = *value;
                    next.threads[thread.index()].resume(self.code, thread.index(), None);
                }
                _ => return None,
            },
            Operation::Read { thread, variable, register } => match actions.get(thread.index()) {
                Some(Action::Read { location: asked, .. }) if *asked == location(variable) => {
                    let value = next.held[register.index()];
                    next.threads[thread.index()].resume(self.code, thread.index(), Some(value));
                }
                _ => return None,
            },
            Operation::Fence { thread } => match actions.get(thread.index()) {
                Some(Action::Fence(_)) => {
                    next.threads[thread.index()].resume(self.code, thread.index(), None);
                }
                _ => return None,
            },
        }
        Some(next)
    }

    /// Notes how a configuration whose threads are done ends.
    fn note(&mut self, at: usize, configuration: &Configuration) {
        let value = |observable: Observable| match observable {
            Observable::Register { thread, register } => {
                configuration.threads[usize::from(thread)].registers()[usize::from(register.0)]
            }
            Observable::Location { .. } => 0,
        };
        if self.program.filter.as_ref().is_some_and(|filter| !filter.holds(&value)) {
            return;
        }
        let state: Vec<Value> = self.runs.observables.iter().map(|observable| value(*observable)).collect();
        if !self.runs.outcomes.contains_key(&state) {
            let satisfies = self.program.condition.as_ref().map(|condition| condition.proposition.holds(&value));
            let run = self.way_to(at);
            self.runs.outcomes.insert(state, ProgramOutcome { run, satisfies });
        }
    }
}
