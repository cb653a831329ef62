//! From structured statements to flat instruction lists, each with at most one visible event.

use super::spin::Loop;
use super::{
    Access, AccessKind, Address, Beyond, BinaryOperator, CallMark, CasResult, Expression, Input, Integer, Location,
    Mailbox, Mode, ObjectId, ObjectKind, Observable, Operation, Place, PlaceKind, Program, RegisterId, Span, Statement,
    StatementKind, ThreadKind, UpdateOperator, Value,
};
use crate::sort;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// An expression without accesses: those have been made instructions of their own.
pub type Operand = Expression;

/// A place that is computed from registers alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An offset of an object; 0 where there is none.
    Element(ObjectId, Option<Operand>),
    /// Where an address points.
    Pointee(Operand),
}

/// An instruction and the source text it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
    pub kind: InstructionKind,
    /// Where it comes from.
    pub span: Span,
}

/// What an instruction does. Jump targets index the thread's instruction list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum InstructionKind {
    Read {
        register: RegisterId,
        target: Target,
        mode: Mode,
    },
    Write {
        target: Target,
        mode: Mode,
        value: Operand,
    },
    Update {
        register: RegisterId,
        target: Target,
        mode: Mode,
        operator: UpdateOperator,
        operand: Operand,
        integer: Integer,
    },
    CompareAndSwap {
        register: RegisterId,
        target: Target,
        mode: Mode,
        failure: Mode,
        expected: Operand,
        desired: Operand,
        weak: bool,
        result: CasResult,
    },
    Fence(Mode),
    Assign {
        register: RegisterId,
        value: Operand,
    },
    /// A value of those is chosen.
    Input {
        register: RegisterId,
        input: Box<Input>,
        /// Where an explorer reads it from: the first of the locations that hold the values and are never written. `None` if
        /// they are too many.
        first: Option<Location>,
    },
    /// What is atomic begins here, and ends at that instruction.
    Atomic(usize),
    /// What is atomic ends here.
    EndAtomic,
    Jump(usize),
    /// Goes on behind it if the condition holds, else at `otherwise`.
    Branch {
        condition: Operand,
        otherwise: usize,
    },
    /// Sets a loop's counter of rounds to 0.
    EnterLoop(usize),
    /// Where a loop's rounds begin; behind a spin round the thread blocks here.
    Head(usize),
    /// Counts a round; beyond the unroll bound the thread is cut here.
    Round(usize),
    Assert(Operand),
    Assume(Operand),
    Lock(Target),
    Unlock(Target),
    Send {
        target: Target,
        value: Operand,
    },
    Receive {
        register: RegisterId,
        target: Target,
    },
    /// Takes a message and goes on where it is run ([`ThreadCode::messages`]).
    /// The thread has run to its end.
    End(Target),
    /// Waits for the end of a thread.
    Join(Target),
    Get,
    Post {
        handler: u16,
        message: u16,
        value: Operand,
    },
    /// A call of a method begins here, its arguments computed ([`super::CallMark`]).
    Enter {
        structure: u16,
        method: u16,
        parameters: Box<[RegisterId]>,
    },
    /// A call ends here, with a value if its method returns one.
    Leave(Option<Operand>),
}

/// How a handler runs one of its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageCode {
    /// The register that gets the value that was posted.
    pub parameter: Option<RegisterId>,
    /// The first instruction; behind the last, the handler jumps back to its get.
    pub entry: usize,
}

/// One thread's instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadCode {
    /// The instructions; running off the end finishes the thread.
    pub instructions: Vec<Instruction>,
    /// Initial values of all registers, temporaries included.
    pub registers: Vec<Value>,
    /// What is known of its loops.
    pub loops: Vec<Loop>,
    /// Its mailbox, if it is a handler.
    pub mailbox: Option<Mailbox>,
    /// How it runs the messages that it takes, if it is a handler.
    pub messages: Vec<MessageCode>,
    /// Whether all that it does comes before everything else ([`super::ThreadKind::Start`]).
    pub is_start: bool,
    /// The last instruction of each kind of operation that waits, by object; what is sent does not matter and is 0.
    operations: FxHashMap<(ObjectId, Operation), usize>,
    /// The first and last instruction of each loop that is in no other, in the order of the text.
    spans_of_loops: Vec<(usize, usize)>,
}

impl ThreadCode {
    /// A number of events that the thread does not exceed if each loop is cut behind so many rounds. There may be much fewer.
    pub fn most_events(&self, unroll: u32) -> u64 {
        // How many more loops an instruction is in than the one before it.
        let mut steps = vec![0i32; self.instructions.len() + 1];
        for l in &self.loops {
            steps[l.head] += 1;
            steps[l.end.min(self.instructions.len())] -= 1;
        }
        // A loop's condition is looked at once more.
        let rounds = u64::from(unroll).saturating_add(1);
        let (mut most, mut depth) = (0u64, 0i32);
        for (instruction, step) in self.instructions.iter().zip(steps) {
            depth += step;
            let is_event = !matches!(
                instruction.kind,
                InstructionKind::Assign { .. }
                    | InstructionKind::Atomic(_)
                    | InstructionKind::EndAtomic
                    | InstructionKind::Jump(_)
                    | InstructionKind::Branch { .. }
                    | InstructionKind::EnterLoop(_)
                    | InstructionKind::Head(_)
                    | InstructionKind::Enter { .. }
                    | InstructionKind::Leave(_)
            );
            let times = rounds.saturating_pow(depth.unsigned_abs());
            most = most.saturating_add(u64::from(is_event).saturating_mul(times));
        }
        most
    }

    /// Finds out what [`Self::may_reach`] needs, if there are operations.
    fn index_operations(&mut self) {
        for (at, instruction) in self.instructions.iter().enumerate() {
            let (target, operation) = match &instruction.kind {
                InstructionKind::Lock(target) => (target, Operation::Lock),
                InstructionKind::Send { target, .. } => (target, Operation::Send(0)),
                InstructionKind::Receive { target, .. } => (target, Operation::Receive),
                _ => continue,
            };
            if let Target::Element(object, _) = target {
                self.operations.insert((*object, operation), at);
            }
        }
        if self.operations.is_empty() {
            return;
        }
        for (at, instruction) in self.instructions.iter().enumerate() {
            let (InstructionKind::Jump(to) | InstructionKind::Branch { otherwise: to, .. }) = instruction.kind else {
                continue;
            };
            if to <= at {
                while self.spans_of_loops.last().is_some_and(|(first, _)| *first >= to) {
                    self.spans_of_loops.pop();
                }
                self.spans_of_loops.push((to, at));
            }
        }
    }

    /// Whether an operation on an object (of an array: on any of its elements) may still be performed from an instruction
    /// on; may say so where conditions never let it. Logarithmic in the number of loops.
    pub(super) fn may_reach(&self, pc: usize, object: ObjectId, operation: Operation) -> bool {
        let operation = if let Operation::Send(_) = operation { Operation::Send(0) } else { operation };
        let Some(&last) = self.operations.get(&(object, operation)) else { return false };
        let behind = self.spans_of_loops.partition_point(|(first, _)| *first <= pc);
        let inside = behind.checked_sub(1).map(|at| self.spans_of_loops[at]).filter(|(_, end)| pc <= *end);
        last >= inside.map_or(pc, |(first, _)| first)
    }
}

/// A program as instruction lists and a flat memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// By thread.
    pub threads: Vec<ThreadCode>,
    /// Initial values by [`Location`].
    pub initial: Vec<Value>,
    /// What each object is used as. Where something runs behind all threads, there is one more than the program has: the ends of the
    /// threads, an element each. Where threads have inputs, there is one more: the values that they take.
    pub kinds: Vec<ObjectKind>,
    /// The calls that were made before there were threads ([`Program::before`]), in their order.
    pub before: Vec<CallMark>,
    /// What of it is no event: inputs, what is assumed of them, what is atomic.
    pub beyond: Option<Arc<Beyond>>,
    /// First location and number of offsets, by object.
    objects: Vec<(u32, u32)>,
    /// By location: there is nothing in it at the start.
    pub(super) uninitialised: Vec<bool>,
    /// By location: some access to its object is non-atomic, or some access through a pointer, which could be to any.
    non_atomic: Vec<bool>,
    /// A read-modify-write that writes what it reads is an effect ([`Self::where_rewriting_counts`]).
    pub(super) rewriting_counts: bool,
    /// By thread ([`Self::twin`]).
    pub(super) twins: Vec<Option<usize>>,
}

/// Why a program can't be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// One object is used as two things.
    #[error(
        "`{name}` is used as {} here and as {} in line {}: it has to be one of them",
        second.noun(), first.noun(), place_of_first.line
    )]
    MixedUse {
        /// Its name.
        name: String,
        /// What it is used as first.
        first: ObjectKind,
        /// Where.
        place_of_first: Span,
        /// What it is used as then.
        second: ObjectKind,
        /// Where.
        span: Span,
    },
    /// A mutex or channel is given by an address.
    #[error("{} can't be used through an address: name it", kind.noun())]
    ThroughAddress {
        /// What it is.
        kind: ObjectKind,
        /// Where.
        span: Span,
    },
    /// A mutex or channel is given an initial value.
    #[error("`{name}` is {} and can't have an initial value: mutexes start free and channels empty", kind.noun())]
    InitialValue {
        /// Its name.
        name: String,
        /// What it is.
        kind: ObjectKind,
        /// Where it is declared or first used.
        span: Span,
    },
    /// Something that can't be where it is: in one step with other things, or beside what is done before there are threads.
    #[error("{why}")]
    Refused {
        /// Why.
        why: String,
        /// Where.
        span: Span,
    },
    /// What comes before the threads can't be run to its end.
    #[error("{why}: the statements in `before` run once, in their order, before the threads begin")]
    Before {
        /// Why.
        why: String,
        /// Where.
        span: Span,
    },
    /// More threads, registers, instructions or locations than the engine's indices hold.
    #[error("the program is too large: more than {limit} {what}")]
    TooLarge {
        /// What there are too many of.
        what: &'static str,
        /// How many are allowed.
        limit: usize,
    },
}

impl CompileError {
    /// Where in the text.
    pub fn span(&self) -> Span {
        match self {
            Self::MixedUse { span, .. }
            | Self::ThroughAddress { span, .. }
            | Self::InitialValue { span, .. }
            | Self::Refused { span, .. }
            | Self::Before { span, .. } => *span,
            Self::TooLarge { .. } => Span::default(),
        }
    }
}

/// How many threads a program may have, or an execution, in any notation.
pub const MAX_THREADS: usize = 256;
/// How many locations a program may have.
const MAX_LOCATIONS: usize = 1024;
/// How many instructions a thread may have.
const MAX_INSTRUCTIONS: usize = 100_000;
/// How many calls a thread's statements may stand for, those within methods included.
const MAX_CALLS: usize = 10_000;
/// How many registers a thread may have, temporaries included.
const MAX_REGISTERS: usize = 10_000;

impl Code {
    /// Whether some thread is a handler.
    pub fn has_handlers(&self) -> bool {
        self.threads.iter().any(|thread| thread.mailbox.is_some())
    }

    /// The thread that runs behind all others, if there is one.
    pub fn after(&self) -> Option<usize> {
        self.kinds.contains(&ObjectKind::Ends).then(|| self.threads.len() - 1)
    }

    /// Translates a program. Linear in its size, and in what is done before there are threads.
    ///
    /// # Errors
    /// [`CompileError`] for what can't be explored.
    pub fn compile(program: &Program) -> Result<Self, CompileError> {
        if program.threads.len() > MAX_THREADS {
            return too_large("threads", MAX_THREADS);
        }
        let mut kinds = program.object_kinds()?;
        let mut objects = Vec::new();
        let mut initial: Vec<Value> = Vec::new();
        for object in &program.objects {
            objects.push((initial.len() as u32, object.initial.len() as u32));
            initial.extend(&object.initial);
            if initial.len() > MAX_LOCATIONS {
                return too_large("shared locations", MAX_LOCATIONS);
            }
        }
        let uninitialised = |object: &super::Object| vec![object.uninitialised; object.initial.len()];
        let mut uninitialised: Vec<bool> = program.objects.iter().flat_map(uninitialised).collect();
        let others = program.threads.len().saturating_sub(1);
        let ends = program.after().map(|_| ObjectId(objects.len() as u16));
        if ends.is_some() {
            objects.push((initial.len() as u32, others as u32));
            initial.resize(initial.len() + others, 0);
            uninitialised.resize(initial.len(), false);
            kinds.push(ObjectKind::Ends);
            if initial.len() > MAX_LOCATIONS {
                return too_large("shared locations", MAX_LOCATIONS);
            }
        }
        let seen = program.observables();
        let mut threads = Vec::new();
        let mut is_beyond = program.premise.is_some();
        for (at, thread) in program.threads.iter().chain(&program.before).enumerate() {
            let mut compiler = Compiler::new(program);
            compiler.code.registers.clone_from(&thread.initial);
            compiler.code.registers.resize(thread.registers.len(), 0);
            if thread.registers.len() > MAX_REGISTERS {
                return too_large("registers in a thread", MAX_REGISTERS);
            }
            let end_of = |ends, thread: usize| Target::Element(ends, Some(Expression::Constant(thread as Value)));
            match &thread.kind {
                ThreadKind::Plain => {
                    compiler.block(&thread.body);
                    if let Some(ends) = ends.filter(|_| at < others) {
                        compiler.emit(InstructionKind::End(end_of(ends, at)), Span::default());
                    }
                }
                ThreadKind::After => {
                    for (other, ends) in (0..others).zip(ends.into_iter().cycle()) {
                        compiler.emit(InstructionKind::Join(end_of(ends, other)), Span::default());
                    }
                    compiler.block(&thread.body);
                }
                ThreadKind::Start => {
                    compiler.code.is_start = true;
                    compiler.block(&thread.body);
                }
                ThreadKind::Handler { mailbox, messages, span } => {
                    compiler.code.mailbox = Some(*mailbox);
                    compiler.messages(messages, *span);
                }
            }
            if compiler.code.instructions.len() > MAX_INSTRUCTIONS || compiler.calls > MAX_CALLS {
                return too_large("instructions in a thread", MAX_INSTRUCTIONS);
            }
            is_beyond |= compiler.is_beyond;
            if compiler.code.registers.len() > MAX_REGISTERS {
                return too_large("registers in a thread", MAX_REGISTERS);
            }
            let is_own = |register: RegisterId| usize::from(register.0) < thread.registers.len();
            let is_seen = |register| seen.binary_search(&Observable::Register { thread: at as u16, register }).is_ok();
            compiler.code.find_compared(|register| is_own(register) && is_seen(register));
            compiler.code.index_operations();
            threads.push(compiler.code);
        }
        let non_atomic = vec![false; initial.len()];
        let before = program.before.as_ref().and_then(|_| threads.pop());
        let twins = super::twins::find_twins(program, &threads);
        let mut code = Self {
            threads,
            initial,
            kinds,
            before: Vec::new(),
            beyond: None,
            objects,
            uninitialised,
            non_atomic,
            rewriting_counts: false,
            twins,
        };
        if is_beyond || before.is_some() {
            super::late::finish_if_there(&mut code, program, before)?;
        }
        code.find_non_atomic();
        Ok(code)
    }

    fn find_non_atomic(&mut self) {
        for instruction in self.threads.iter().flat_map(|thread| &thread.instructions) {
            let (InstructionKind::Read { target, mode, .. }
            | InstructionKind::Write { target, mode, .. }
            | InstructionKind::Update { target, mode, .. }
            | InstructionKind::CompareAndSwap { target, mode, .. }) = &instruction.kind
            else {
                continue;
            };
            let failure = match &instruction.kind {
                InstructionKind::CompareAndSwap { failure, .. } => *failure,
                _ => *mode,
            };
            if !mode.is_atomic() || !failure.is_atomic() {
                match target {
                    Target::Element(object, _) => {
                        let (first, length) = self.objects[object.0 as usize];
                        self.non_atomic[first as usize..(first + length) as usize].fill(true);
                    }
                    Target::Pointee(_) => self.non_atomic.fill(true),
                }
            }
        }
    }

    /// Whether two threads might write to one location of memory, not counting what `is_exempt`: told from the instructions
    /// alone, wherever they are.
    pub fn may_have_two_writers(&self, is_exempt: impl Fn(&InstructionKind) -> bool) -> bool {
        let mut writers: Vec<Option<usize>> = vec![None; self.initial.len()];
        self.threads.iter().enumerate().any(|(thread, code)| {
            code.instructions.iter().filter(|instruction| !is_exempt(&instruction.kind)).any(|instruction| {
                let (InstructionKind::Write { target, .. }
                | InstructionKind::Update { target, .. }
                | InstructionKind::CompareAndSwap { target, .. }) = &instruction.kind
                else {
                    return false;
                };
                let locations = match target {
                    Target::Element(object, _) => {
                        let (first, length) = self.objects[object.0 as usize];
                        first as usize..(first + length) as usize
                    }
                    Target::Pointee(_) => 0..writers.len(),
                };
                writers[locations].iter_mut().any(|writer| *writer.get_or_insert(thread) != thread)
            })
        })
    }

    /// Which instructions might write to a location of memory, by thread, in the order of the text: told from the instructions alone,
    /// wherever they are.
    pub fn writers(&self, location: Location) -> Vec<(usize, Vec<Span>)> {
        let (object, offset) = self.object(location);
        let may_write = |kind: &InstructionKind| match kind {
            InstructionKind::Write { target, .. }
            | InstructionKind::Update { target, .. }
            | InstructionKind::CompareAndSwap { target, .. } => match target {
                Target::Element(of, None) => *of == object && offset == 0,
                Target::Element(of, Some(Expression::Constant(index))) => {
                    *of == object && *index == Value::from(offset)
                }
                Target::Element(of, Some(_)) => *of == object,
                Target::Pointee(_) => true,
            },
            _ => false,
        };
        let of_thread = |(thread, code): (usize, &ThreadCode)| {
            let writes = code.instructions.iter().filter(|instruction| may_write(&instruction.kind));
            let mut spans: Vec<Span> = writes.map(|instruction| instruction.span).collect();
            sort::by_key(&mut spans, |span| span.start);
            (!spans.is_empty()).then_some((thread, spans))
        };
        self.threads.iter().enumerate().filter_map(of_thread).collect()
    }

    /// The same where rounds of a loop count in which a read-modify-write writes what it reads: without co, as under WRA, whoever
    /// reads from that may know of more than whoever reads from its source may.
    #[must_use]
    pub fn where_rewriting_counts(mut self) -> Self {
        self.rewriting_counts = true;
        self
    }

    /// Whether they do.
    pub fn counts_rewriting(&self) -> bool {
        self.rewriting_counts
    }

    /// Whether there is nothing in the location at the start.
    pub fn is_uninitialised(&self, location: Location) -> bool {
        self.uninitialised[location.0 as usize]
    }

    /// Whether the program accesses the location's object non-atomically somewhere, or might through a pointer.
    pub fn may_race(&self, location: Location) -> bool {
        self.non_atomic[location.0 as usize]
    }

    /// How many locations there are, without those of the values of inputs, which come last.
    pub fn cells(&self) -> usize {
        let inputs = self.kinds.iter().position(|kind| *kind == ObjectKind::Inputs);
        inputs.map_or(self.initial.len(), |object| self.objects[object].0 as usize)
    }

    /// The locations of the values of the input that is read from one of them; none if it is another location.
    pub fn values_of_input(&self, location: Location) -> std::ops::Range<u32> {
        let choices = self.beyond.as_ref().map_or(&[][..], |beyond| &beyond.choices);
        let ranges = choices.iter().map(|(first, count)| first.0..first.0 + count);
        ranges.into_iter().find(|values| values.contains(&location.0)).unwrap_or_default()
    }

    /// Adds locations that hold these values and are never written; the first of them. `None` if there would be too many.
    pub(super) fn hold(&mut self, values: &[Value]) -> Option<Location> {
        let first = self.initial.len();
        if first + values.len() > MAX_LOCATIONS {
            return None;
        }
        if self.kinds.last() != Some(&ObjectKind::Inputs) {
            self.kinds.push(ObjectKind::Inputs);
            self.objects.push((first as u32, 0));
        }
        self.initial.extend(values);
        let length = self.initial.len();
        self.uninitialised.resize(length, false);
        self.non_atomic.resize(length, false);
        if let Some((_, count)) = self.objects.last_mut() {
            *count += values.len() as u32;
        }
        Some(Location(first as u32))
    }

    /// The location of an offset of an object, `None` outside the object.
    pub fn location(&self, object: ObjectId, offset: Value) -> Option<Location> {
        let (first, length) = self.objects[object.0 as usize];
        (0..Value::from(length)).contains(&offset).then(|| Location(first + offset as u32))
    }

    /// The object and offset, which may lie outside it, that a value is the address of; `None` for a number.
    pub fn address(&self, value: Value) -> Option<Address> {
        Address::of(value).filter(|address| usize::from(address.object.0) < self.objects.len())
    }

    /// The object and offset of a location.
    pub fn object(&self, location: Location) -> (ObjectId, u32) {
        let object = self.objects.partition_point(|&(first, _)| first <= location.0) - 1;
        (ObjectId(object as u16), location.0 - self.objects[object].0)
    }
}

/// The call whose method is compiled.
struct Frame {
    /// The first of its registers.
    base: usize,
    /// The register of the caller that gets what the method returns.
    result: Option<RegisterId>,
    /// It is a thread's call, not one within another call.
    is_marked: bool,
    /// The jumps to its end.
    jumps: Vec<usize>,
}

struct Compiler<'p> {
    program: &'p Program,
    code: ThreadCode,
    /// How many loops the next statement is in.
    depth: usize,
    /// The calls that the next statement is in, outermost first.
    frames: Vec<Frame>,
    /// How many calls were met.
    calls: usize,
    /// Something of it is no event.
    is_beyond: bool,
}

fn too_large<T>(what: &'static str, limit: usize) -> Result<T, CompileError> {
    Err(CompileError::TooLarge { what, limit })
}

/// Refuses a program.
pub(super) fn refused(why: &str, span: Span) -> CompileError {
    CompileError::Refused { why: why.to_owned(), span }
}

/// What is assumed at the start, as a thread that reads, and assumes.
pub(super) fn assumed(program: &Program, assuming: &Statement) -> Result<ThreadCode, CompileError> {
    let mut compiler = Compiler::new(program);
    compiler.statement(assuming);
    if compiler.code.instructions.len() > MAX_INSTRUCTIONS {
        return too_large("instructions in a thread", MAX_INSTRUCTIONS);
    }
    if compiler.code.registers.len() > MAX_REGISTERS {
        return too_large("registers in a thread", MAX_REGISTERS);
    }
    compiler.code.index_operations();
    Ok(compiler.code)
}

/// How many calls may be in each other.
const MAX_FRAMES: usize = 32;

impl<'p> Compiler<'p> {
    fn new(program: &'p Program) -> Self {
        let code = ThreadCode::default();
        Self { program, code, depth: 0, frames: Vec::new(), calls: 0, is_beyond: false }
    }

    /// The thread's register that a statement names, which may stand in a method.
    fn register(&self, register: RegisterId) -> RegisterId {
        let base = self.frames.last().map_or(0, |frame| frame.base);
        RegisterId(u16::try_from(base + usize::from(register.0)).unwrap_or(u16::MAX))
    }

    fn emit(&mut self, kind: InstructionKind, span: Span) -> usize {
        self.code.instructions.push(Instruction { kind, span });
        self.code.instructions.len() - 1
    }

    fn here(&self) -> usize {
        self.code.instructions.len()
    }

    fn patch(&mut self, at: usize) {
        let here = self.here();
        match &mut self.code.instructions[at].kind {
            InstructionKind::Jump(target)
            | InstructionKind::Branch { otherwise: target, .. }
            | InstructionKind::Atomic(target) => *target = here,
            _ => unreachable!("only jumps are patched"),
        }
    }

    fn temporary(&mut self) -> RegisterId {
        self.code.registers.push(0);
        RegisterId(u16::try_from(self.code.registers.len() - 1).unwrap_or(u16::MAX))
    }

    /// Emits the begin of a loop; its number and the place of its head.
    fn enter_loop(&mut self, span: Span) -> (usize, usize) {
        let id = self.code.loops.len();
        self.emit(InstructionKind::EnterLoop(id), span);
        let head = self.emit(InstructionKind::Head(id), span);
        self.code.loops.push(Loop { depth: self.depth, head, ..Loop::default() });
        self.depth += 1;
        (id, head)
    }

    /// The loop ends here.
    fn leave_loop(&mut self, id: usize) {
        self.depth -= 1;
        self.code.loops[id].end = self.here();
    }

    fn block(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    /// A handler's loop: it takes a message, runs it, and takes the next.
    fn messages(&mut self, messages: &[super::Message], handler: Span) {
        let get = self.emit(InstructionKind::Get, handler);
        for message in messages {
            let entry = self.here();
            self.code.messages.push(MessageCode { parameter: message.parameter, entry });
            self.block(&message.body);
            self.emit(InstructionKind::Jump(get), message.span);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Write { place, mode, value } => {
                let mut target = self.target(place, span);
                if value.has_access() {
                    target = self.keep_target(target, span);
                }
                let value = self.expression(value, span);
                self.emit(InstructionKind::Write { target, mode: *mode, value }, span);
            }
            StatementKind::Assign { register, value } => {
                self.assign(self.register(*register), value, span);
            }
            StatementKind::Input { register, input } => {
                let register = self.register(*register);
                self.emit(InstructionKind::Input { register, input: input.clone(), first: None }, span);
                self.is_beyond = true;
            }
            StatementKind::Atomic(body) => {
                let begin = self.emit(InstructionKind::Atomic(0), span);
                self.block(body);
                self.patch(begin);
                self.emit(InstructionKind::EndAtomic, span);
                self.is_beyond = true;
            }
            StatementKind::Evaluate(value) => {
                let register = self.temporary();
                // Not dropped even without accesses: it may divide by zero.
                self.assign(register, value, span);
            }
            StatementKind::Fence(mode) => {
                self.emit(InstructionKind::Fence(*mode), span);
            }
            StatementKind::If { condition, then, otherwise } => {
                let condition = self.expression(condition, span);
                let branch = self.emit(InstructionKind::Branch { condition, otherwise: 0 }, span);
                self.block(then);
                if otherwise.is_empty() {
                    self.patch(branch);
                } else {
                    let jump = self.emit(InstructionKind::Jump(0), span);
                    self.patch(branch);
                    self.block(otherwise);
                    self.patch(jump);
                }
            }
            StatementKind::While { condition, body } => {
                let (id, head) = self.enter_loop(span);
                let condition = self.expression(condition, span);
                let branch = self.emit(InstructionKind::Branch { condition, otherwise: 0 }, span);
                self.emit(InstructionKind::Round(id), span);
                self.block(body);
                self.emit(InstructionKind::Jump(head), span);
                self.patch(branch);
                self.leave_loop(id);
            }
            StatementKind::Repeat { body, until } => {
                let (id, head) = self.enter_loop(span);
                self.emit(InstructionKind::Round(id), span);
                self.block(body);
                let condition = self.expression(until, span);
                self.emit(InstructionKind::Branch { condition, otherwise: head }, span);
                self.leave_loop(id);
            }
            StatementKind::Assert(condition) => {
                let condition = self.expression(condition, span);
                self.emit(InstructionKind::Assert(condition), span);
            }
            StatementKind::Assume(condition) => {
                let condition = self.expression(condition, span);
                self.emit(InstructionKind::Assume(condition), span);
            }
            StatementKind::Skip => {}
            StatementKind::Lock(place) => {
                let target = self.target(place, span);
                self.emit(InstructionKind::Lock(target), span);
            }
            StatementKind::Unlock(place) => {
                let target = self.target(place, span);
                self.emit(InstructionKind::Unlock(target), span);
            }
            StatementKind::Send { place, value } => {
                let mut target = self.target(place, span);
                if value.has_access() {
                    target = self.keep_target(target, span);
                }
                let value = self.expression(value, span);
                self.emit(InstructionKind::Send { target, value }, span);
            }
            StatementKind::Post { handler, message, value } => {
                let value = value.as_ref().map_or(Expression::Constant(0), |value| self.expression(value, span));
                self.emit(InstructionKind::Post { handler: *handler, message: *message, value }, span);
            }
            StatementKind::Call { structure, method, arguments, result } => {
                let result = result.map(|result| self.register(result));
                self.call((*structure, *method), arguments, result, span);
            }
            StatementKind::Return(value) => self.leave(value.as_ref(), span),
        }
    }

    /// `register := value`
    fn assign(&mut self, register: RegisterId, value: &Expression, span: Span) {
        if let Expression::Access(access) = value {
            self.access(access, register, span);
        } else {
            let value = self.expression(value, span);
            self.emit(InstructionKind::Assign { register, value }, span);
        }
    }

    /// Emits what a method does in place of its call.
    fn call(
        &mut self,
        (structure, method): (u16, u16),
        arguments: &[Expression],
        result: Option<RegisterId>,
        span: Span,
    ) {
        let program = self.program;
        let called = program.structures.get(usize::from(structure));
        let Some(called) = called.and_then(|called| called.methods.get(usize::from(method))) else { return };
        self.calls += 1;
        // Beyond, the program is refused.
        if self.frames.len() >= MAX_FRAMES || self.calls > MAX_CALLS {
            self.calls = MAX_CALLS + 1;
            return;
        }
        let registers: Vec<RegisterId> = called.registers.iter().map(|_| self.temporary()).collect();
        for (register, argument) in registers.iter().zip(arguments) {
            self.assign(*register, argument, span);
        }
        let (parameters, own) = registers.split_at(usize::from(called.parameters).min(registers.len()));
        // In a loop, they have the values of the call before.
        for register in own {
            self.emit(InstructionKind::Assign { register: *register, value: Expression::Constant(0) }, span);
        }
        let is_marked = self.frames.is_empty();
        if is_marked {
            self.emit(InstructionKind::Enter { structure, method, parameters: parameters.into() }, span);
        }
        let base = self.code.registers.len() - registers.len();
        let base = registers.first().map_or(base, |first| usize::from(first.0));
        self.frames.push(Frame { base, result, is_marked, jumps: Vec::new() });
        self.block(&called.body);
        let Some(frame) = self.frames.pop() else { return };
        if is_marked {
            self.emit(InstructionKind::Leave(None), span);
        }
        frame.jumps.into_iter().for_each(|jump| self.patch(jump));
    }

    /// Emits the return from the call whose method is compiled.
    fn leave(&mut self, value: Option<&Expression>, span: Span) {
        let value = value.map(|value| self.expression(value, span));
        let Some(frame) = self.frames.last() else { return };
        let (result, is_marked) = (frame.result, frame.is_marked);
        if is_marked {
            self.emit(InstructionKind::Leave(value.clone()), span);
        }
        if let Some((register, value)) = result.zip(value) {
            self.emit(InstructionKind::Assign { register, value }, span);
        }
        let jump = self.emit(InstructionKind::Jump(0), span);
        if let Some(frame) = self.frames.last_mut() {
            frame.jumps.push(jump);
        }
    }

    fn target(&mut self, place: &Place, span: Span) -> Target {
        match &place.kind {
            PlaceKind::Element { object, index } => {
                Target::Element(*object, index.as_ref().map(|index| self.expression(index, span)))
            }
            PlaceKind::Pointee(address) => Target::Pointee(self.expression(address, span)),
        }
    }

    /// Computes a place, so that later accesses can't change it.
    fn keep_target(&mut self, target: Target, span: Span) -> Target {
        match target {
            Target::Element(object, index) => Target::Element(object, index.map(|index| self.keep(index, span))),
            Target::Pointee(address) => Target::Pointee(self.keep(address, span)),
        }
    }

    /// Copies an operand to a register of its own, so that later accesses can't change it.
    fn keep(&mut self, operand: Operand, span: Span) -> Operand {
        if matches!(operand, Expression::Constant(_)) {
            return operand;
        }
        let register = self.temporary();
        self.emit(InstructionKind::Assign { register, value: operand }, span);
        Expression::Register(register)
    }

    /// Emits what has to happen before the expression's value can be computed from registers, and returns that
    /// computation.
    fn expression(&mut self, expression: &Expression, span: Span) -> Operand {
        match expression {
            Expression::Constant(_) => expression.clone(),
            Expression::Register(register) => Expression::Register(self.register(*register)),
            Expression::Access(access) => {
                let register = self.temporary();
                self.access(access, register, span);
                Expression::Register(register)
            }
            Expression::Unary(operator, operand) => {
                Expression::Unary(*operator, Box::new(self.expression(operand, span)))
            }
            Expression::Binary(operator, left, right) => {
                let mut left = self.expression(left, span);
                if !right.has_access() {
                    return Expression::Binary(*operator, Box::new(left), Box::new(self.expression(right, span)));
                }
                if !matches!(operator, BinaryOperator::And | BinaryOperator::Or) {
                    left = self.keep(left, span);
                    let right = self.expression(right, span);
                    return Expression::Binary(*operator, Box::new(left), Box::new(right));
                }
                // The right operand's events happen only if the left one does not decide.
                let register = self.temporary();
                let truth = |operand| {
                    Expression::Binary(BinaryOperator::NotEqual, Box::new(operand), Box::new(Expression::Constant(0)))
                };
                self.emit(InstructionKind::Assign { register, value: truth(left) }, span);
                let decided = Expression::Register(register);
                let condition = match operator {
                    BinaryOperator::And => decided,
                    _ => Expression::Unary(super::UnaryOperator::Not, Box::new(decided)),
                };
                let branch = self.emit(InstructionKind::Branch { condition, otherwise: 0 }, span);
                let right = self.expression(right, span);
                self.emit(InstructionKind::Assign { register, value: truth(right) }, span);
                self.patch(branch);
                Expression::Register(register)
            }
        }
    }

    fn access(&mut self, access: &Access, register: RegisterId, statement: Span) {
        let span = if access.span == Span::default() { statement } else { access.span };
        let mut target = self.target(&access.place, span);
        let mode = access.mode;
        let kind = match &access.kind {
            AccessKind::Read => InstructionKind::Read { register, target, mode },
            AccessKind::Receive => InstructionKind::Receive { register, target },
            AccessKind::Update { operator, operand, integer } => {
                if operand.has_access() {
                    target = self.keep_target(target, span);
                }
                let operand = self.expression(operand, span);
                let (operator, integer) = (*operator, *integer);
                InstructionKind::Update { register, target, mode, operator, operand, integer }
            }
            AccessKind::CompareAndSwap { expected, desired, failure, weak, result } => {
                if expected.has_access() || desired.has_access() {
                    target = self.keep_target(target, span);
                }
                let mut expected = self.expression(expected, span);
                if desired.has_access() {
                    expected = self.keep(expected, span);
                }
                let desired = self.expression(desired, span);
                let result = match *result {
                    CasResult::ValueRead => CasResult::ValueRead,
                    CasResult::Success(register) => CasResult::Success(self.register(register)),
                };
                let (failure, weak) = (*failure, *weak);
                InstructionKind::CompareAndSwap { register, target, mode, failure, expected, desired, weak, result }
            }
        };
        self.emit(kind, span);
    }
}
