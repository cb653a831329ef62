//! Runs of a machine, and the execution graphs that they leave behind.

use super::machine::{Machine, Operation, State, TransitionIndex, Variable};
use crate::graph::{EventId, EventKey, Execution, ThreadId};
use crate::program::{Action, Code, Integer, Location, Mode, Object, Origin, Program, Span, Thread};

/// What a register that was never written holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Initial {
    /// The initial write of its variable, which comes before everything, as in all graphs.
    #[default]
    Written,
    /// Nothing: a read of it has no source, as in print.
    Nothing,
}

/// A run: a way through a machine from its first state, and the execution graph that belongs to it.
#[derive(Clone, Debug)]
pub struct Run<'m> {
    machine: &'m Machine,
    initial: Initial,
    /// The transitions so far.
    transitions: Vec<TransitionIndex>,
    /// By transition: the event that it made; `None` for what memory models don't see.
    events: Vec<Option<EventId>>,
    graph: Execution,
    /// By register: the write that it holds.
    held: Vec<Option<EventId>>,
    state: State,
}

impl Machine {
    /// Names for graphs of its runs: variables that are 0 at first, and threads without statements.
    pub fn program(&self) -> Program {
        let object = |name: &String| Object {
            name: name.clone(),
            initial: vec![0],
            array: false,
            uninitialised: false,
            integer: Integer::Int64,
            origin: Origin::Declared,
            span: Span::default(),
        };
        let thread = |name: &String| Thread { name: Some(name.clone()), ..Thread::default() };
        Program {
            name: self.name.clone(),
            objects: self.variables.iter().map(object).collect(),
            threads: self.threads.iter().map(thread).collect(),
            ..Program::default()
        }
    }
}

impl<'m> Run<'m> {
    /// The empty run.
    ///
    /// # Panics
    /// If the machine has no state.
    pub fn new(machine: &'m Machine, initial: Initial) -> Self {
        assert!(!machine.states.is_empty(), "a machine has a first state");
        let code = Code::compile(&machine.program()).expect("threads without statements");
        let held = |variable: Variable| (initial == Initial::Written).then_some(EventId(u32::from(variable.0)));
        Self {
            machine,
            initial,
            transitions: Vec::new(),
            events: Vec::new(),
            graph: Execution::initial(&code),
            held: machine.registers.iter().map(|register| register.variable.and_then(held)).collect(),
            state: machine.initial(),
        }
    }

    /// A run of these transitions; `None` if one does not begin where the one before it ends.
    pub fn of(machine: &'m Machine, initial: Initial, transitions: &[TransitionIndex]) -> Option<Self> {
        let mut run = Self::new(machine, initial);
        transitions.iter().all(|transition| run.take(*transition)).then_some(run)
    }

    /// Goes on by a transition, if it begins in the present state.
    pub fn take(&mut self, index: TransitionIndex) -> bool {
        let Some(transition) = self.machine.transitions().get(index.index()) else { return false };
        if transition.from != self.state {
            return false;
        }
        let span = Span { line: transition.line, ..Span::default() };
        let event = match transition.operation {
            Operation::Write { thread, variable, register } => {
                let location = Location(u32::from(variable.0));
                // Each write of a variable has a value of its own.
                let value = self.graph.writes(location).count() as i64;
                let action = Action::Write { location, mode: Mode::default(), value };
                let event = self.graph.add(ThreadId(u16::from(thread.0)), action, span);
                self.held[register.index()] = Some(event);
                Some(event)
            }
            Operation::Read { thread, variable, register } => {
                let action = Action::Read { location: Location(u32::from(variable.0)), mode: Mode::default() };
                let event = self.graph.add(ThreadId(u16::from(thread.0)), action, span);
                if let Some(write) = self.held[register.index()] {
                    self.graph.set_source(event, write);
                }
                Some(event)
            }
            Operation::Copy { to, from } => {
                self.held[to.index()] = self.held[from.index()];
                None
            }
            Operation::Fence { .. } | Operation::Step => None,
        };
        self.transitions.push(index);
        self.events.push(event);
        self.state = transition.to;
        true
    }

    /// The machine.
    pub fn machine(&self) -> &'m Machine {
        self.machine
    }

    /// What registers hold at first.
    pub fn initial(&self) -> Initial {
        self.initial
    }

    /// The transitions so far.
    pub fn transitions(&self) -> &[TransitionIndex] {
        &self.transitions
    }

    /// By transition: the event that it made, if it made one.
    pub fn events(&self) -> &[Option<EventId>] {
        &self.events
    }

    /// The execution graph so far: writes, reads with their sources.
    pub fn graph(&self) -> &Execution {
        &self.graph
    }

    /// By register: the write that it holds now.
    pub fn held(&self) -> &[Option<EventId>] {
        &self.held
    }

    /// Where the run is.
    pub fn state(&self) -> State {
        self.state
    }

    /// An event's name across graphs.
    pub fn key(&self, event: EventId) -> EventKey {
        self.graph.event(event).key
    }

    /// The way of the value that a transition reads, backwards: the copies, then the write, by their places among the transitions. Empty if it
    /// is no read; without a write at its end if that is an initial one, or none.
    pub fn origin(&self, place: usize) -> Vec<usize> {
        let mut way = Vec::new();
        let operation = |place: usize| self.machine.transition(self.transitions[place]).operation;
        let Operation::Read { register, .. } = operation(place) else { return way };
        let mut at = register;
        for earlier in (0..place).rev() {
            match operation(earlier) {
                Operation::Copy { to, from } if to == at => {
                    way.push(earlier);
                    at = from;
                }
                Operation::Write { register, .. } if register == at => {
                    way.push(earlier);
                    break;
                }
                _ => {}
            }
        }
        way
    }
}
