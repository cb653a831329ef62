//! What a program's graphs need room for, whichever of them is drawn: so that an event has its place from the start and
//! none moves for those that come after it.
//!
//! Columns, the spaces between them, the places of initial writes and the distance of rows follow from the program alone, and
//! from whether there is little room: on a telephone, in a lecture and in half of a page threads stand closer together. A column
//! is as wide as its title and the longest label that its thread's code may give. Rows are closer together where threads have
//! many events. So the page need not zoom out while a graph grows. What ends a thread is said in a word in its box if there is
//! no room for more ("error"); the rest is in its title and in the explanation.

use super::spacing::{node_width, width_of};
use super::{DiagramColumn, MANY, location_name};
use crate::graph::{Execution, ThreadId};
use crate::program::{
    Code, Expression, InstructionKind, Location, Message, Mode, Program, Target, ThreadCode, UnaryOperator,
    UpdateOperator,
};

/// What is known of all graphs of a program.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Skeleton {
    /// The threads: as wide as their longest labels.
    pub columns: Vec<DiagramColumn>,
    /// The events of the longest thread, where loops make two rounds.
    pub rows: usize,
}

impl Skeleton {
    /// Linear in the program and the threads of the graph. Where the program does nothing, as that of an abstract execution,
    /// there are as many edges between threads as the graph lets expect.
    pub(crate) fn new(program: &Program, graph: &Execution) -> Self {
        let threads = graph.threads();
        // A program that can't be run has no graphs.
        let code = Code::compile(program).ok();
        let none = ThreadCode::default();
        let of = |thread: usize| code.as_ref().and_then(|code| code.threads.get(thread)).unwrap_or(&none);
        let text = Text::new(program, code.as_ref());
        let does_nothing = program.threads.iter().all(|thread| thread.bodies().all(Vec::is_empty));
        let column = |thread: usize| DiagramColumn {
            title: program.thread_name(thread),
            width: text.longest(of(thread), thread),
            traffic: if does_nothing { graph.thread(ThreadId(thread as u16)).len() } else { events(of(thread)) },
        };
        Self {
            columns: (0..threads).map(column).collect(),
            rows: (0..threads).map(|thread| rows(of(thread))).max().unwrap_or(0),
        }
    }
}

/// The widths of the initial writes of all locations, as far as [`Diagram::seats`](super::Diagram::seats) asks for them.
pub fn seats(program: &Program) -> Vec<f32> {
    let width = |(location, &value): (usize, &i64)| {
        let location = Location(location as u32);
        let name = location_name(program, location);
        node_width(&format!("[{name}={}]", program.location_text(Some(location), value)))
    };
    program.objects.iter().flat_map(|object| &object.initial).enumerate().take(MANY + 1).map(width).collect()
}

fn is_event(kind: &InstructionKind) -> bool {
    use InstructionKind::{
        CompareAndSwap, End, Fence, Get, Join, Lock, Post, Read, Receive, Send, Unlock, Update, Write,
    };
    matches!(
        kind,
        Read { .. }
            | Write { .. }
            | Update { .. }
            | CompareAndSwap { .. }
            | Fence(_)
            | Lock(_)
            | Unlock(_)
            | End(_)
            | Join(_)
            | Send { .. }
            | Receive { .. }
            | Get
            | Post { .. }
    )
}

fn events(code: &ThreadCode) -> usize {
    code.instructions.iter().filter(|instruction| is_event(&instruction.kind)).count()
}

/// The most events on a way through a thread that goes round each loop once; twice as many if there are loops.
fn rows(code: &ThreadCode) -> usize {
    let mut from = vec![0usize; code.instructions.len() + 1];
    for (at, instruction) in code.instructions.iter().enumerate().rev() {
        let ahead = |to: usize| if to > at { from.get(to).copied().unwrap_or(0) } else { from[at + 1] };
        from[at] = usize::from(is_event(&instruction.kind))
            + match instruction.kind {
                InstructionKind::Jump(to) => ahead(to),
                InstructionKind::Branch { otherwise, .. } => from[at + 1].max(ahead(otherwise)),
                _ => from[at + 1],
            };
    }
    // A handler's messages follow one another, each behind its get.
    let gets = code.messages.len().saturating_sub(1);
    (from[0] + gets) * if code.loops.is_empty() { 1 } else { 2 }
}

/// The lengths of what labels are made of.
struct Text<'a> {
    program: &'a Program,
    /// Of the longest value.
    value: usize,
    /// Of the longest name of a location.
    name: usize,
    /// The first location of each object.
    first: Vec<usize>,
}

impl<'a> Text<'a> {
    fn new(program: &'a Program, code: Option<&Code>) -> Self {
        let length = |value: i64| {
            let text = program.value_text(value).chars().count();
            // As many digits as a number without a sign may have.
            if value < 0 && program.has_unsigned() { text.max(u64::MAX.to_string().len()) } else { text }
        };
        let initial = program.objects.iter().flat_map(|object| &object.initial).map(|&value| length(value));
        let mut value = initial.max().unwrap_or(1);
        let mut computes = false;
        for instruction in code.iter().flat_map(|code| &code.threads).flat_map(|thread| &thread.instructions) {
            let mut look = |operand: &Expression| {
                constants(operand, &mut |constant| value = value.max(length(constant)), &mut computes)
            };
            match &instruction.kind {
                InstructionKind::Write { value, .. } | InstructionKind::Assign { value, .. } => look(value),
                InstructionKind::Send { value, .. } | InstructionKind::Post { value, .. } => look(value),
                InstructionKind::Update { operator, operand, .. } => {
                    look(operand);
                    computes |= *operator != UpdateOperator::Exchange;
                }
                InstructionKind::CompareAndSwap { expected, desired, .. } => {
                    look(expected);
                    look(desired);
                }
                _ => {}
            }
        }
        // Sums of what a program of this size has stay below 100.
        let value = if computes { value.max(2) } else { value };
        let mut first = Vec::new();
        let mut locations = 0;
        for object in &program.objects {
            first.push(locations);
            locations += object.initial.len();
        }
        // Of an array, the last name is the longest.
        let last = program.objects.iter().zip(&first).map(|(object, first)| first + object.initial.len().max(1) - 1);
        let name = last.map(|last| Self::name(program, last)).max().unwrap_or(1);
        Self { program, value, name, first }
    }

    fn name(program: &Program, location: usize) -> usize {
        location_name(program, Location(location as u32)).chars().count()
    }

    fn target(&self, target: &Target) -> usize {
        let Target::Element(object, offset) = target else { return self.name };
        let index = object.0 as usize;
        let (Some(first), Some(object)) = (self.first.get(index), self.program.objects.get(index)) else {
            return self.name;
        };
        let last = object.initial.len().saturating_sub(1);
        let offset = match offset {
            None => 0,
            Some(Expression::Constant(offset)) => usize::try_from(*offset).map_or(last, |offset| offset.min(last)),
            Some(_) => last,
        };
        Self::name(self.program, first + offset)
    }

    /// The width of the longest label that a thread may have; at least that of a node.
    fn longest(&self, code: &ThreadCode, thread: usize) -> f32 {
        let messages = |thread: usize| self.program.threads.get(thread).map_or(&[][..], |thread| thread.messages());
        let message = |message: &Message| {
            let value = if message.parameter.is_some() { 2 + self.value } else { 0 };
            message.name.chars().count() + value
        };
        let mode = |mode: &Mode| if *mode == Mode::Relaxed { 0 } else { mode.keyword().len() };
        let length = |kind: &InstructionKind| match kind {
            // R(x,0)
            InstructionKind::Read { target, mode: m, .. } | InstructionKind::Write { target, mode: m, .. } => {
                4 + mode(m) + self.target(target) + self.value
            }
            // U(x,0→1)
            InstructionKind::Update { target, mode: m, .. } => 5 + mode(m) + self.target(target) + 2 * self.value,
            InstructionKind::CompareAndSwap { target, mode: m, failure, .. } => {
                5 + mode(m).max(mode(failure)) + self.target(target) + 2 * self.value
            }
            InstructionKind::Fence(m) => 2 + m.keyword().len(),
            InstructionKind::Lock(target) => "lock() ⊥".chars().count() + self.target(target),
            InstructionKind::Unlock(target) => "unlock()".len() + self.target(target),
            InstructionKind::Send { target, .. } => "send(,) ⊥".chars().count() + self.target(target) + self.value,
            InstructionKind::Receive { target, .. } => {
                "receive() ⊥".chars().count().max("receive(,)".len() + self.value) + self.target(target)
            }
            InstructionKind::End(_) => "end".len(),
            InstructionKind::Join(Target::Element(_, Some(Expression::Constant(ended)))) => {
                let ended = usize::try_from(*ended).unwrap_or_default();
                "join() ⊥".chars().count() + self.program.thread_name(ended).chars().count()
            }
            // get(m(1))
            InstructionKind::Get => 5 + messages(thread).iter().map(message).max().unwrap_or(0),
            // post(h.m(1))
            InstructionKind::Post { handler, message: at, .. } => {
                let handler = usize::from(*handler);
                let length = messages(handler).get(usize::from(*at)).map_or(1, message);
                "post(.)".len() + self.program.thread_name(handler).chars().count() + length
            }
            // What ends a thread is said in a word, where there is no room for more.
            _ => "error".len(),
        };
        width_of(code.instructions.iter().map(|instruction| length(&instruction.kind)).max().unwrap_or(0))
    }
}

/// The constants of an expression, and whether other values are computed from them.
fn constants(expression: &Expression, found: &mut impl FnMut(i64), computes: &mut bool) {
    match expression {
        Expression::Constant(value) => found(*value),
        Expression::Register(_) | Expression::Access(_) => {}
        Expression::Unary(operator, operand) => {
            *computes |= *operator != UnaryOperator::Not;
            constants(operand, found, computes);
        }
        Expression::Binary(operator, left, right) => {
            use crate::program::BinaryOperator::{Add, Multiply, ShiftLeft, Subtract};
            *computes |= matches!(operator.untyped(), Add | Subtract | Multiply | ShiftLeft);
            constants(left, found, computes);
            constants(right, found, computes);
        }
    }
}
