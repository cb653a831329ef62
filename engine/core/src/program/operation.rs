//! Operations of library objects, and which objects are such.

use super::{
    Access, AccessKind, CompileError, Expression, Mode, Place, PlaceKind, Program, Span, Statement, StatementKind,
    Value,
};
use serde::{Deserialize, Serialize};

/// An operation on an object of a library, which no plain access may touch.
///
/// The operations of one object take turns: each but an unlock takes the object over from an earlier operation, its
/// source, and no two take it from the same one. One that finds no source waits, perhaps for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Takes a mutex that is free.
    Lock,
    /// Frees a mutex, which its thread must hold.
    Unlock,
    /// Puts a value into a channel that is empty.
    Send(Value),
    /// Takes the value out of a channel that is full.
    Receive,
    /// A thread has run to its end. Only there where a program has statements behind all threads ([`super::ThreadKind::After`]).
    End,
    /// Waits for the end of a thread.
    Join,
}

impl Operation {
    /// Whether it takes its object over from another operation, and waits until it can. What does not is a write that reaches memory
    /// behind all writes in front of it.
    pub fn waits(self) -> bool {
        !matches!(self, Self::Unlock | Self::End)
    }

    /// Whether another operation can take its object over from it.
    pub fn hands_over(self) -> bool {
        !matches!(self, Self::Lock | Self::Join)
    }

    /// The value of the object behind the operation: of a mutex 1 if it is held, of a channel what is in it, else 0.
    pub fn written(self) -> Value {
        match self {
            Self::Lock | Self::End => 1,
            Self::Unlock | Self::Receive | Self::Join => 0,
            Self::Send(value) => value,
        }
    }

    /// What it means for memory models: a lock acquires, an unlock releases, a channel does both both ways; the end of a thread
    /// releases, and who waits for it acquires.
    pub fn mode(self) -> Mode {
        match self {
            Self::Lock | Self::Join => Mode::Acquire,
            Self::Unlock | Self::End => Mode::Release,
            Self::Send(_) | Self::Receive => Mode::AcquireRelease,
        }
    }

    /// Its name in programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lock => "lock",
            Self::Unlock => "unlock",
            Self::Send(_) => "send",
            Self::Receive => "receive",
            Self::End => "end",
            Self::Join => "join",
        }
    }
}

/// What an object is used as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectKind {
    /// Memory: reads, writes and read-modify-writes.
    Memory,
    /// A mutex (an array: of mutexes).
    Mutex,
    /// A channel with one place.
    Channel,
    /// The ends of the threads, which what stands behind all threads waits for.
    Ends,
    /// The values that inputs of threads take, which nobody writes.
    Inputs,
}

impl ObjectKind {
    /// What such objects are called, with an article.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Mutex => "a mutex",
            Self::Channel => "a channel",
            Self::Ends => "the ends of threads",
            Self::Inputs => "values of inputs",
        }
    }
}

impl Program {
    /// What each object is used as, by [`super::ObjectId`]; those never used are memory.
    ///
    /// # Errors
    /// [`CompileError::MixedUse`] for an object used as two things, [`CompileError::ThroughAddress`] for a mutex or channel
    /// that is not named, [`CompileError::InitialValue`] for a mutex or channel
    /// with an initial value.
    pub fn object_kinds(&self) -> Result<Vec<ObjectKind>, CompileError> {
        let mut uses = Uses { program: self, found: vec![None; self.objects.len()] };
        for body in self.before.iter().chain(&self.threads).flat_map(super::Thread::bodies) {
            uses.block(body)?;
        }
        for method in self.structures.iter().flat_map(|structure| &structure.methods) {
            uses.block(&method.body)?;
        }
        self.premise.iter().flat_map(|premise| &premise.assuming).try_for_each(|assuming| uses.statement(assuming))?;
        for (object, found) in self.objects.iter().zip(&uses.found) {
            if let Some((kind @ (ObjectKind::Mutex | ObjectKind::Channel), _)) = found
                && object.initial.iter().any(|value| *value != 0)
            {
                return Err(CompileError::InitialValue { name: object.name.clone(), kind: *kind, span: object.span });
            }
        }
        Ok(uses.found.into_iter().map(|found| found.map_or(ObjectKind::Memory, |(kind, _)| kind)).collect())
    }
}

struct Uses<'p> {
    program: &'p Program,
    found: Vec<Option<(ObjectKind, Span)>>,
}

impl Uses<'_> {
    fn place(&mut self, place: &Place, kind: ObjectKind, span: Span) -> Result<(), CompileError> {
        let span = if place.span == Span::default() { span } else { place.span };
        let PlaceKind::Element { object, index } = &place.kind else {
            let address = place.operand().map_or(Ok(()), |address| self.expression(address, span));
            return if kind == ObjectKind::Memory { address } else { Err(CompileError::ThroughAddress { kind, span }) };
        };
        let at = object.0 as usize;
        let (first, place_of_first) = *self.found[at].get_or_insert((kind, span));
        if first != kind {
            let name = self.program.objects[at].name.clone();
            return Err(CompileError::MixedUse { name, first, place_of_first, second: kind, span });
        }
        index.iter().try_for_each(|index| self.expression(index, span))
    }

    fn block(&mut self, statements: &[Statement]) -> Result<(), CompileError> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), CompileError> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Write { place, value, .. } => {
                self.place(place, ObjectKind::Memory, span)?;
                self.expression(value, span)
            }
            StatementKind::Assign { value, .. }
            | StatementKind::Evaluate(value)
            | StatementKind::Assert(value)
            | StatementKind::Assume(value) => self.expression(value, span),
            StatementKind::Fence(_) | StatementKind::Skip | StatementKind::Input { .. } => Ok(()),
            StatementKind::Atomic(body) => self.block(body),
            StatementKind::If { condition, then, otherwise } => {
                self.expression(condition, span)?;
                self.block(then)?;
                self.block(otherwise)
            }
            StatementKind::While { condition, body } => {
                self.expression(condition, span)?;
                self.block(body)
            }
            StatementKind::Repeat { body, until } => {
                self.block(body)?;
                self.expression(until, span)
            }
            StatementKind::Lock(place) | StatementKind::Unlock(place) => self.place(place, ObjectKind::Mutex, span),
            StatementKind::Send { place, value } => {
                self.place(place, ObjectKind::Channel, span)?;
                self.expression(value, span)
            }
            StatementKind::Call { arguments, .. } => {
                arguments.iter().try_for_each(|argument| self.expression(argument, span))
            }
            StatementKind::Post { value, .. } | StatementKind::Return(value) => {
                value.iter().try_for_each(|value| self.expression(value, span))
            }
        }
    }

    fn expression(&mut self, expression: &Expression, span: Span) -> Result<(), CompileError> {
        match expression {
            Expression::Constant(_) | Expression::Register(_) => Ok(()),
            Expression::Access(access) => self.access(access, span),
            Expression::Unary(_, operand) => self.expression(operand, span),
            Expression::Binary(_, left, right) => {
                self.expression(left, span)?;
                self.expression(right, span)
            }
        }
    }

    fn access(&mut self, access: &Access, span: Span) -> Result<(), CompileError> {
        match &access.kind {
            AccessKind::Receive => self.place(&access.place, ObjectKind::Channel, span),
            AccessKind::Read => self.place(&access.place, ObjectKind::Memory, span),
            AccessKind::Update { operand, .. } => {
                self.place(&access.place, ObjectKind::Memory, span)?;
                self.expression(operand, span)
            }
            AccessKind::CompareAndSwap { expected, desired, .. } => {
                self.place(&access.place, ObjectKind::Memory, span)?;
                self.expression(expected, span)?;
                self.expression(desired, span)
            }
        }
    }
}
