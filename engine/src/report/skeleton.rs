//! What a program's graphs need room for, whichever of them is drawn: so that an event has its place from the start and
//! none moves for those that come after it.

use super::{CHARACTER_WIDTH, FONT_SIZE, location_name};
use crate::graph::{Execution, ThreadId};
use crate::program::{
    Code, Expression, InstructionKind, Location, Mode, Program, Target, ThreadCode, UnaryOperator, UpdateOperator,
};

/// Least width of a node.
const MIN_WIDTH: f32 = 56.0;
/// Space between a node's border and its text.
const PADDING: f32 = 9.0;
/// Space between two threads where no edge passes, and what each event beside it adds, up to ten: where there is plenty
/// of room, where there is less, and where there is little.
const GAPS: [(f32, f32); 3] = [(86.0, 3.0), (62.0, 2.5), (44.0, 1.5)];
/// Free space left and right of the threads, where edges may bend out; less on a narrow screen.
const SIDE: f32 = 52.0;
const NARROW_SIDE: f32 = 26.0;

/// The width of a node with this text.
pub(super) fn node_width(text: &str) -> f32 {
    width_of(text.chars().count())
}

fn width_of(characters: usize) -> f32 {
    (characters as f32 * CHARACTER_WIDTH * FONT_SIZE + 2.0 * PADDING).max(MIN_WIDTH).ceil()
}

/// How far apart things are: the more events a thread may have, the denser they stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Density {
    /// Free space above and below.
    pub margin: f32,
    /// Height of a node.
    pub node: f32,
    /// From an event to the next of its thread; a read stands at least half of it below its source.
    pub row: f32,
    /// Space between the initial writes and the threads.
    pub band: f32,
}

impl Density {
    fn of(rows: usize) -> Self {
        match rows {
            0..=5 => Self { margin: 16.0, node: 28.0, row: 62.0, band: 58.0 },
            6..=8 => Self { margin: 12.0, node: 26.0, row: 48.0, band: 46.0 },
            _ => Self { margin: 6.0, node: 22.0, row: 32.0, band: 30.0 },
        }
    }
}

/// What is known of all graphs of a program.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Skeleton {
    /// The widths of the threads' columns: those of their longest labels.
    pub columns: Vec<f32>,
    /// The spaces between neighbouring columns: wider where more edges may pass.
    pub gaps: Vec<f32>,
    /// Free space left and right of the threads.
    pub side: f32,
    /// The events of the longest thread, where loops make two rounds.
    pub rows: usize,
    /// How far apart things are.
    pub density: Density,
}

impl Skeleton {
    /// Linear in the program and the threads of the graph. Where the program does nothing, as that of an abstract execution,
    /// there are as many edges between threads as the graph lets expect.
    pub fn new(program: &Program, graph: &Execution, narrow: bool) -> Self {
        let threads = graph.threads();
        // A program that can't be run has no graphs.
        let code = Code::compile(program).ok();
        let none = ThreadCode::default();
        let of = |thread: usize| code.as_ref().and_then(|code| code.threads.get(thread)).unwrap_or(&none);
        let text = Text::new(program, code.as_ref());
        let mut accesses: Vec<_> = (0..threads).map(|thread| events(of(thread))).collect();
        let rows = (0..threads).map(|thread| rows(of(thread))).max().unwrap_or(0);
        if program.threads.iter().all(|thread| thread.body.is_empty()) {
            accesses = (0..threads).map(|thread| graph.thread(ThreadId(thread as u16)).len()).collect();
        }
        let (gap, more) = match (narrow, threads) {
            (false, ..=4) => GAPS[0],
            (false, _) | (true, ..=3) => GAPS[1],
            (true, _) => GAPS[2],
        };
        Self {
            columns: (0..threads).map(|thread| text.longest(of(thread))).collect(),
            gaps: accesses.windows(2).map(|pair| gap + more * (pair[0] + pair[1]).min(10) as f32).collect(),
            side: if narrow { NARROW_SIDE } else { SIDE },
            rows,
            density: Density::of(rows),
        }
    }
}

fn is_event(kind: &InstructionKind) -> bool {
    use InstructionKind::{CompareAndSwap, Fence, Lock, Read, Receive, Send, Unlock, Update, Write};
    matches!(
        kind,
        Read { .. }
            | Write { .. }
            | Update { .. }
            | CompareAndSwap { .. }
            | Fence(_)
            | Lock(_)
            | Unlock(_)
            | Send { .. }
            | Receive { .. }
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
    from[0] * if code.loops.is_empty() { 1 } else { 2 }
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
        let length = |value: i64| program.value_text(value).chars().count();
        let initial = program.objects.iter().flat_map(|object| &object.initial).map(|&value| length(value));
        let mut value = initial.max().unwrap_or(1);
        let mut computes = false;
        for instruction in code.iter().flat_map(|code| &code.threads).flat_map(|thread| &thread.instructions) {
            let mut look = |operand: &Expression| {
                constants(operand, &mut |constant| value = value.max(length(constant)), &mut computes)
            };
            match &instruction.kind {
                InstructionKind::Write { value, .. } | InstructionKind::Assign { value, .. } => look(value),
                InstructionKind::Send { value, .. } => look(value),
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
    fn longest(&self, code: &ThreadCode) -> f32 {
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
            *computes |= matches!(operator, Add | Subtract | Multiply | ShiftLeft);
            constants(left, found, computes);
            constants(right, found, computes);
        }
    }
}
