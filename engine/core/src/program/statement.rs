//! Statements: the structured form that notations parse to and print from.

use super::{Expression, Input, Integer, ObjectId, RegisterId, Span};
use serde::{Deserialize, Serialize};

/// Access modes of C11. Models other than RC11 ignore them on accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Non-atomic: a race on it is an error.
    NonAtomic,
    /// Relaxed, the default of our notation.
    #[default]
    Relaxed,
    /// Acquire.
    Acquire,
    /// Release.
    Release,
    /// Acquire and release, for RMWs and fences.
    AcquireRelease,
    /// Sequentially consistent.
    SequentiallyConsistent,
}

impl Mode {
    /// At least relaxed.
    pub fn is_atomic(self) -> bool {
        self != Self::NonAtomic
    }

    /// At least acquire.
    pub fn is_acquire(self) -> bool {
        matches!(self, Self::Acquire | Self::AcquireRelease | Self::SequentiallyConsistent)
    }

    /// At least release.
    pub fn is_release(self) -> bool {
        matches!(self, Self::Release | Self::AcquireRelease | Self::SequentiallyConsistent)
    }

    /// What is left of it for a read-modify-write that only reads.
    #[must_use]
    pub fn of_read(self) -> Self {
        match self {
            Self::Release => Self::Relaxed,
            Self::AcquireRelease => Self::Acquire,
            other => other,
        }
    }

    /// Sequentially consistent.
    pub fn is_sc(self) -> bool {
        self == Self::SequentiallyConsistent
    }

    /// The keyword of our notation: `na`, `rlx`, `acq`, `rel`, `acqrel`, `sc`.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::NonAtomic => "na",
            Self::Relaxed => "rlx",
            Self::Acquire => "acq",
            Self::Release => "rel",
            Self::AcquireRelease => "acqrel",
            Self::SequentiallyConsistent => "sc",
        }
    }
}

/// A shared place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// Which one.
    pub kind: PlaceKind,
    /// Where it is written.
    pub span: Span,
}

/// How a place is given.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PlaceKind {
    /// An object and an offset into it: `x`, `q[1]`. An offset outside the object is an error event.
    Element {
        /// The object.
        object: ObjectId,
        /// The offset; `None` stands for 0 and prints without brackets.
        index: Option<Expression>,
    },
    /// What an address points to: `*r`. A value that is no address, or one outside its object, is an error event.
    Pointee(Expression),
}

/// A shared access that yields a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Access {
    /// What it does.
    pub kind: AccessKind,
    /// What it accesses.
    pub place: Place,
    /// Its mode; for a compare-and-swap, when it succeeds.
    pub mode: Mode,
    /// Where it is written.
    pub span: Span,
}

/// The accesses that yield a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AccessKind {
    /// A read.
    Read,
    /// An unconditional read-modify-write; yields the value read.
    Update {
        /// How the value written comes from the value read.
        operator: UpdateOperator,
        /// The operand.
        operand: Expression,
        /// The type that it computes in, of which the value written is. Atomics wrap, those with a sign too.
        integer: Integer,
    },
    /// Takes the value out of a channel that is full, for which it waits. Has no mode: [`Mode::Relaxed`] stands there.
    Receive,
    /// A compare-and-swap: writes `desired` if the value read equals `expected`, else it is a plain read.
    CompareAndSwap {
        /// The value looked for.
        expected: Expression,
        /// The value written.
        desired: Expression,
        /// The mode when it fails.
        failure: Mode,
        /// May fail although it reads the value looked for, as C's `atomic_compare_exchange_weak`: `wcas(x, 0, 1)`.
        weak: bool,
        /// What it yields.
        result: CasResult,
    },
}

/// What a compare-and-swap yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CasResult {
    /// The value read: `cas(x, 0, 1)`.
    ValueRead,
    /// 1 if it succeeded, else 0, and on failure the value read goes to the register, as C's
    /// `atomic_compare_exchange_strong(x, &e, 1)`: `cas(x, &e, 1)`. `expected` is then that register.
    Success(RegisterId),
}

/// What an unconditional read-modify-write does with the value read and its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum UpdateOperator {
    /// `fai(x, 1)`, fetch and add.
    Add,
    /// Fetch and subtract.
    Subtract,
    /// Fetch and bitwise and.
    And,
    /// Fetch and bitwise or.
    Or,
    /// Fetch and bitwise exclusive or.
    Xor,
    /// `xchg(x, 1)`.
    Exchange,
    /// Fetch and keep the larger one.
    Max,
    /// Fetch and keep the smaller one.
    Min,
}

/// A statement.
#[derive(Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where it is written, without the bodies of compound statements.
    pub span: Span,
}

impl Clone for Statement {
    // If it is derived, each crate that copies programs has its own: kilobytes of the page.
    #[inline(never)]
    fn clone(&self) -> Self {
        Self { kind: self.kind.clone(), span: self.span }
    }
}

/// The statements.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum StatementKind {
    /// `x :=mode value`. The index is evaluated before the value.
    Write {
        /// Where to.
        place: Place,
        /// Its mode.
        mode: Mode,
        /// What.
        value: Expression,
    },
    /// `a := value`: a local assignment, a read, or an RMW, as the value says.
    Assign {
        /// Where to.
        register: RegisterId,
        /// What.
        value: Expression,
    },
    /// `a := input 0..3`: a value that nobody chooses who schedules.
    Input {
        /// Where to.
        register: RegisterId,
        /// What it may be.
        input: Box<Input>,
    },
    /// `atomic { ... }`: all of it in one step. There are no loops in it, nothing else that is atomic, and nothing that waits but
    /// `assume`: it waits as a whole until none of these fails.
    Atomic(Vec<Statement>),
    /// A value computed for its events, such as a bare `fai(x)`.
    Evaluate(Expression),
    /// A fence.
    Fence(Mode),
    /// A choice.
    If {
        /// Taken as true unless 0.
        condition: Expression,
        /// What is done if so.
        then: Vec<Statement>,
        /// What is done otherwise.
        otherwise: Vec<Statement>,
    },
    /// `while condition { body }`
    While {
        /// Tested before each round.
        condition: Expression,
        /// A round.
        body: Vec<Statement>,
    },
    /// `repeat { body } until condition`
    Repeat {
        /// A round.
        body: Vec<Statement>,
        /// Tested after each round; ends the loop when true.
        until: Expression,
    },
    /// An assertion: 0 is an error event.
    Assert(Expression),
    /// An assumption: 0 blocks the thread for good.
    Assume(Expression),
    /// Nothing.
    Skip,
    /// Takes a mutex; waits until it is free.
    Lock(Place),
    /// Frees a mutex; an error unless its own thread holds it.
    Unlock(Place),
    /// `post h.m(value)`: puts a message into the mailbox of its handler.
    Post {
        /// The handler, an index into [`super::Program::threads`].
        handler: u16,
        /// An index into its messages.
        message: u16,
        /// The value of the message's parameter, if it has one.
        value: Option<Expression>,
    },
    /// `a := s.pop()`, `s.push(1)`: calls a method of a concurrent object.
    Call {
        /// The object, an index into [`super::Program::structures`].
        structure: u16,
        /// An index into its methods.
        method: u16,
        /// The values of its parameters.
        arguments: Vec<Expression>,
        /// Where to put what it returns.
        result: Option<RegisterId>,
    },
    /// `return`, or `return value`: ends the method that it stands in.
    Return(Option<Expression>),
    /// Puts a value into a channel; waits until it is empty. The index is evaluated before the value.
    Send {
        /// The channel.
        place: Place,
        /// What.
        value: Expression,
    },
}

impl AccessKind {
    pub(super) fn operands_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Self::Read | Self::Receive => vec![],
            Self::Update { operand, .. } => vec![operand],
            Self::CompareAndSwap { expected, desired, .. } => vec![expected, desired],
        }
    }
}

impl Place {
    /// An object, or the element of an array.
    pub fn element(object: ObjectId, index: Option<Expression>, span: Span) -> Self {
        Self { kind: PlaceKind::Element { object, index }, span }
    }

    /// The object, unless it is given by an address.
    pub fn object(&self) -> Option<ObjectId> {
        match self.kind {
            PlaceKind::Element { object, .. } => Some(object),
            PlaceKind::Pointee(_) => None,
        }
    }

    /// The offset or the address, which is computed before the access.
    pub fn operand(&self) -> Option<&Expression> {
        match &self.kind {
            PlaceKind::Element { index, .. } => index.as_ref(),
            PlaceKind::Pointee(address) => Some(address),
        }
    }

    pub(super) fn erase_spans(&mut self) {
        self.span = Span::default();
        match &mut self.kind {
            PlaceKind::Element { index, .. } => index.iter_mut().for_each(Expression::erase_spans),
            PlaceKind::Pointee(address) => address.erase_spans(),
        }
    }
}

impl Statement {
    /// Gives it, and all that is in it, another place in the text.
    pub fn move_to(&mut self, span: Span) {
        fn all(statement: &mut Statement, span: Span) {
            statement.span = span;
            match &mut statement.kind {
                StatementKind::If { then, otherwise, .. } => {
                    then.iter_mut().chain(otherwise).for_each(|inner| all(inner, span));
                }
                StatementKind::While { body, .. }
                | StatementKind::Repeat { body, .. }
                | StatementKind::Atomic(body) => {
                    body.iter_mut().for_each(|inner| all(inner, span));
                }
                _ => {}
            }
        }
        self.erase_spans();
        all(self, span);
    }

    pub(super) fn erase_spans(&mut self) {
        self.span = Span::default();
        match &mut self.kind {
            StatementKind::Write { place, value, .. } | StatementKind::Send { place, value } => {
                place.erase_spans();
                value.erase_spans();
            }
            StatementKind::Assign { value, .. }
            | StatementKind::Evaluate(value)
            | StatementKind::Assert(value)
            | StatementKind::Assume(value) => value.erase_spans(),
            StatementKind::Fence(_) | StatementKind::Skip | StatementKind::Input { .. } => {}
            StatementKind::Atomic(body) => body.iter_mut().for_each(Self::erase_spans),
            StatementKind::If { condition, then, otherwise } => {
                condition.erase_spans();
                then.iter_mut().chain(otherwise).for_each(Self::erase_spans);
            }
            StatementKind::While { condition: guard, body } | StatementKind::Repeat { body, until: guard } => {
                guard.erase_spans();
                body.iter_mut().for_each(Self::erase_spans);
            }
            StatementKind::Lock(place) | StatementKind::Unlock(place) => place.erase_spans(),
            StatementKind::Call { arguments, .. } => arguments.iter_mut().for_each(Expression::erase_spans),
            StatementKind::Post { value, .. } | StatementKind::Return(value) => {
                value.iter_mut().for_each(Expression::erase_spans)
            }
        }
    }
}
