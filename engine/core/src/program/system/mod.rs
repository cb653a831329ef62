//! A program as a transition system, which may run for ever.
//!
//! A **state** is where each thread is between two visible events, and the values of variables: memory, and the registers whose values
//! still matter where the thread is. It has no counters of rounds and no dead registers, so a program that runs for ever in loops may have
//! few states. A **point** is a place in a thread where the next instruction is a visible event; a **transition** is that event with all
//! local instructions behind it, along one way through their branches. So a branch behind an event makes several transitions of it,
//! whose guards tell them apart. A transition has a guard and an assignment: terms over the values before the step ([`Term`]). That
//! is all there is: who wants states evaluates them ([`System::successors`]), who wants predicates substitutes.
//!
//! # Blocking
//! A thread is *active* at a point that has transitions, and *enabled* if the guard of one of them holds. It waits at `lock`, `send`,
//! `receive`, behind the ends of other threads, and where an `assume` does not hold. An `assume` behind a read (and nothing
//! between but local instructions, without a loop that may go round without an event) belongs to that read, and `atomic` waits as a whole: such a thread waits until the values are others,
//! and goes on then. Behind other events, an `assume` that does not hold is a point of its own, at which the thread waits for good, as its
//! registers never change.
//!
//! A thread that has run to its end idles: it is not active. So a state is a *deadlock* if some thread is active and none is enabled, and
//! not if all have ended.
//!
//! # Inputs
//! The value of an `input` is chosen by nobody who schedules. Of several transitions that are enabled for a thread, or several values
//! of one, the input decides.
//!
//! # What is left out
//! It is sequentially consistent: modes mean nothing, and data races are no errors. A weak compare-and-swap does not fail spuriously.
//! Final conditions are not looked at. Handlers, and memory that nothing is in at the start, are refused ([`SystemError`]).
//!
//! Source: P. Metzler's thesis (2020), chapter 2. There, a program has locations and transitions from the start; here they are made of
//! code. A deadlock there is defined for programs that never end.

mod build;
mod state;
mod term;
#[cfg(test)]
mod tests;

pub use state::{Reached, State, StateError, States, Successor};
pub use term::{Term, Variable};

use super::{EvaluationError, Input, Location, Mode, ObjectId, Program, RegisterId, Span, UpdateOperator, Value};
use std::sync::Arc;

/// A point of a thread, an index into [`SystemThread::points`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct PointId(pub u32);

/// An index into [`System::transitions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct TransitionId(pub u32);

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holds {
    /// The value of a memory location. Of a mutex: 0 if it is free, else 1 more than the index of the thread that holds it. Of a channel:
    /// what is in it, 0 if nothing is. Of the end of a thread: 1 behind it.
    Memory(Location),
    /// 1 if something is in a channel, else 0.
    Full(Location),
    /// The value of a register of a thread.
    Register(u16, RegisterId),
}

/// What a thread does at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// A read-modify-write.
    Update(UpdateOperator),
    /// A compare-and-swap.
    CompareAndSwap,
    /// A fence, which does nothing under SC.
    Fence(Mode),
    /// Takes a mutex.
    Lock,
    /// Frees a mutex.
    Unlock,
    /// Puts a value into a channel.
    Send,
    /// Takes a value out of a channel.
    Receive,
    /// Runs to its end, for which others wait.
    End,
    /// Waits for the end of another thread.
    Join,
    /// Is given an input.
    Input,
    /// All of an `atomic`.
    Atomic,
    /// A round of a loop in which nothing is visible.
    Local,
    /// Waits for good: an assumption on registers does not hold.
    Stuck,
}

/// What a point is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// An event comes next.
    Event(EventKind),
    /// The thread has run to its end.
    Ended,
    /// The thread went wrong.
    Error(Fault),
}

/// Why a thread went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// An `assert` does not hold.
    AssertionViolated,
    /// An expression has no value.
    Evaluation(EvaluationError),
    /// An offset outside its object.
    OutOfBounds(ObjectId),
    /// An access through a number that is no address.
    NotAnAddress,
    /// An access through an address to a mutex or channel, or outside its object.
    NotMemory,
    /// An unlock of a mutex that its thread does not hold.
    NotHeld(ObjectId),
    /// A value outside the range that is declared for its object.
    OutOfRange(ObjectId),
}

/// A place of a thread between two visible events.
#[derive(Clone, Debug)]
pub struct Point {
    /// What comes next.
    pub kind: PointKind,
    /// Where that stands in the text.
    pub span: Span,
    /// The steps that may come next.
    pub transitions: Vec<TransitionId>,
    /// Whether the thread might be active here and not enabled.
    pub may_block: bool,
    /// The registers whose values matter here, as variables, ascending.
    pub live: Box<[Variable]>,
}

impl Point {
    /// Whether the thread went wrong.
    pub fn is_error(&self) -> bool {
        matches!(self.kind, PointKind::Error(_))
    }

    /// Whether steps come from here.
    pub fn is_active(&self) -> bool {
        !self.transitions.is_empty()
    }
}

/// A branch that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The condition's place in the text.
    pub span: Span,
    /// Whether it held.
    pub held: bool,
}

/// An access of a transition: to one of some shared variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemAccess {
    /// The variables that it may be to, each with the condition under which it is to that one: a term over the values before the step. At
    /// most one condition is true, not 0.
    pub places: Arc<[(Arc<Term>, Variable)]>,
    /// Whether it may write; else it reads.
    pub writes: bool,
}

/// A step of a thread: an event, and what is local behind it along one way.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The thread.
    pub thread: u16,
    /// From where.
    pub from: PointId,
    /// To where.
    pub to: PointId,
    /// What all has to be true, not 0, of the values before. Those without inputs come first.
    pub guard: Vec<Arc<Term>>,
    /// The values behind, of the variables that change, ascending. All at once.
    pub assignments: Vec<(Variable, Arc<Term>)>,
    /// The registers that matter no more behind it, as variables, ascending: they become 0.
    pub forgets: Box<[Variable]>,
    /// The inputs that are given, in their order.
    pub inputs: Vec<Input>,
    /// The shared variables that it may read, ascending. Others can't tell it apart.
    pub reads: Box<[Variable]>,
    /// The shared variables that it may write, ascending.
    pub writes: Box<[Variable]>,
    /// The accesses of which `reads` and `writes` are made, in their order. A read-modify-write is two.
    pub accesses: Vec<SystemAccess>,
    /// The branches that are taken behind the event, in their order.
    pub branches: Vec<Taken>,
    /// Whether it goes back in the text: a round of a loop is over.
    pub is_back_jump: bool,
}

impl Transition {
    /// Whether it and another may be done in either order, of which each leads to the same: they are of different threads, and neither
    /// may write what the other may read or write.
    pub fn is_independent(&self, other: &Self) -> bool {
        let meet =
            |one: &[Variable], others: &[Variable]| one.iter().any(|variable| others.binary_search(variable).is_ok());
        self.thread != other.thread
            && !meet(&self.writes, &other.writes)
            && !meet(&self.writes, &other.reads)
            && !meet(&self.reads, &other.writes)
    }
}

/// A thread of a system.
#[derive(Clone, Debug)]
pub struct SystemThread {
    /// Its name: `P0`, or what the text calls it.
    pub name: String,
    /// Its points, by [`PointId`].
    pub points: Vec<Point>,
    /// Where it starts.
    pub start: PointId,
}

/// A program as a transition system.
#[derive(Clone, Debug)]
pub struct System {
    /// What each variable holds, by [`Variable`]: memory first.
    pub variables: Vec<Holds>,
    /// The names of the variables: `count`, `q[1]`, `P0:r`.
    pub names: Vec<String>,
    /// The threads.
    pub threads: Vec<SystemThread>,
    /// All transitions, by [`TransitionId`]: by thread, and by the point that they come from.
    pub transitions: Vec<Transition>,
    /// The values at the start, by [`Variable`]; of an input, its first one.
    pub initial: Vec<Value>,
    /// The values at the start that are inputs.
    pub inputs: Vec<(Variable, Input)>,
    /// What all is true, not 0, at the start, whatever the inputs are.
    pub assuming: Vec<Arc<Term>>,
    /// The variables whose ranges are declared, ascending, with the least and the greatest of their values. What would write another one goes
    /// wrong.
    pub ranges: Vec<(Variable, Value, Value)>,
    /// The addresses of memory, each with the variable that is there.
    pub addresses: Vec<(Value, Variable)>,
}

/// Why a program is not made a transition system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SystemError {
    /// It has handlers.
    #[error("programs with handlers have no transition system here: post messages through a channel instead")]
    Handlers,
    /// Some memory has no value at the start.
    #[error("`{name}` has no value at the start: give it one, or an input, as `shared {name} = input 0..1`")]
    Uninitialised {
        /// Its name.
        name: String,
    },
    /// A loop has no end and no event.
    #[error("this loop never ends and does nothing that others can see: the thread never gets to its next event")]
    Endless {
        /// Where.
        span: Span,
    },
    /// There are too many ways from one event to the next.
    #[error("there are more than {limit} ways from here to the next event: split the expression, or shorten the array")]
    TooManyWays {
        /// How many there may be.
        limit: usize,
        /// Where.
        span: Span,
    },
    /// A mutex or channel with a computed index in a large array.
    #[error(
        "the index of this {what} is computed, and there are more than {limit} to choose from: name one, or shorten the array"
    )]
    TooManyElements {
        /// What it is.
        what: &'static str,
        /// How many there may be.
        limit: usize,
        /// Where.
        span: Span,
    },
    /// What is assumed at the start can't be computed for some values.
    #[error("what is assumed at the start can't be computed for some values of the inputs")]
    Assuming {
        /// Where.
        span: Span,
    },
}

impl SystemError {
    /// Where in the text.
    pub fn span(&self) -> Span {
        match self {
            Self::Handlers | Self::Uninitialised { .. } => Span::default(),
            Self::Endless { span }
            | Self::TooManyWays { span, .. }
            | Self::TooManyElements { span, .. }
            | Self::Assuming { span } => *span,
        }
    }
}

impl System {
    /// A value as the notation has it: `&x` of an address, else a number.
    pub fn value_text(&self, value: Value) -> String {
        let found = self.addresses.iter().find(|(address, _)| *address == value);
        found.map_or_else(|| value.to_string(), |(_, variable)| format!("&{}", self.names[variable.0 as usize]))
    }

    /// The transition.
    pub fn transition(&self, id: TransitionId) -> &Transition {
        &self.transitions[id.0 as usize]
    }

    /// The point of a thread.
    pub fn point(&self, thread: usize, point: PointId) -> &Point {
        &self.threads[thread].points[point.0 as usize]
    }

    /// How many of the variables are shared: they come first.
    pub fn shared(&self) -> usize {
        self.variables.partition_point(|holds| !matches!(holds, Holds::Register(..)))
    }
}

/// The name of what a variable holds.
fn name_of(program: &Program, holds: Holds, location: impl Fn(Location) -> (ObjectId, u32)) -> String {
    let of_location = |at| {
        let (object, offset) = location(at);
        match program.objects.get(usize::from(object.0)) {
            Some(object) if object.array => format!("{}[{offset}]", object.name),
            Some(object) => object.name.clone(),
            None => format!("end of {}", program.thread_name(offset as usize)),
        }
    };
    match holds {
        Holds::Memory(at) => of_location(at),
        Holds::Full(at) => format!("full {}", of_location(at)),
        Holds::Register(thread, register) => {
            let registers = program.threads.get(usize::from(thread)).map_or(&[][..], |thread| &thread.registers);
            let own = registers.get(usize::from(register.0));
            let register = own.cloned().unwrap_or_else(|| format!("%{}", usize::from(register.0) - registers.len()));
            format!("{}:{register}", program.thread_name(usize::from(thread)))
        }
    }
}
