//! Runs one thread from one visible event to the next.

use super::spin::Loop;
use super::{
    Arithmetic, BinaryOperator, CasResult, Code, EvaluationError, Expression, InstructionKind, Integer, Location, Mode,
    ObjectId, ObjectKind, Operand, Operation, Span, Target, UpdateOperator, Value,
};
use serde::{Deserialize, Serialize};

/// What cuts a thread that would not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Limits {
    /// Rounds of each loop, counted anew each time the loop is entered.
    pub unroll: u32,
    /// Instructions between two visible events.
    pub local_steps: u32,
    /// Events of a whole graph, initial writes not counted: the larger a graph, the longer every step on it takes. Each
    /// thread is cut behind its share ([`Limits::events_of_a_thread`]), so that what a thread does stays a matter of
    /// what it reads alone, as exploring each execution once requires.
    pub events: u32,
    /// Unroll loops that only wait too, instead of blocking a thread behind a round that changed nothing.
    pub unroll_spins: bool,
    /// Units of work of the search for the answer to one question, such as whether a graph is consistent
    /// ([`crate::budget`]). Beyond, it is left undecided.
    #[serde(default = "Limits::usual_search")]
    pub search: u64,
    /// Bytes of the table of final states. Of a program with more states, they are counted, but not listed.
    #[serde(default = "Limits::usual_table")]
    pub table: u64,
}

impl Limits {
    /// About a second.
    const SEARCH: u64 = 1 << 28;

    /// How many events a graph usually has room for: as many as can be looked at step by step.
    pub const EVENTS: u32 = 1000;

    /// How many events a graph can have room for.
    pub const MAX_EVENTS: u32 = 10_000;

    /// The same with as much room as graphs of a program may need, if that is more than usual.
    #[must_use]
    pub fn with_room_for(self, code: &Code) -> Self {
        let share = u64::from(Self { events: Self::EVENTS, ..self }.events_of_a_thread(code.threads.len()));
        let needs_more = code.threads.iter().any(|thread| thread.most_events(self.unroll) > share);
        Self { events: if needs_more { Self::MAX_EVENTS } else { Self::EVENTS }, ..self }
    }

    /// The usual bytes of the table of final states: what is in it is written in a moment.
    pub const TABLE: u64 = 1 << 23;

    const fn usual_search() -> u64 {
        Self::SEARCH
    }

    const fn usual_table() -> u64 {
        Self::TABLE
    }

    /// How many events each of some threads may have.
    pub fn events_of_a_thread(self, threads: usize) -> u32 {
        self.events / u32::try_from(threads).unwrap_or(u32::MAX).max(1)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            unroll: 8,
            local_steps: 100_000,
            events: Self::EVENTS,
            unroll_spins: false,
            search: Self::SEARCH,
            table: Self::TABLE,
        }
    }
}

/// What a read-modify-write does with the value it reads, its operands evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Update {
    /// Always writes, a value of the type that it computes in.
    Fetch(UpdateOperator, Value, Integer),
    /// The same in a loop that waits, but where it reads its operand, which it would write again, it is a plain read: behind it
    /// the loop has changed nothing ([`Code::spin_loops`]).
    FetchUnless(UpdateOperator, Value, Integer),
    /// Writes `desired` if it reads `expected`.
    CompareAndSwap {
        /// The value looked for.
        expected: Value,
        /// The value written.
        desired: Value,
        /// May fail although it reads `expected`; [`Update::written`] takes no such failure into account.
        weak: bool,
    },
}

impl Update {
    /// The value written on reading `read`; `None` if a compare-and-swap fails or an update waits, which is then a plain read.
    pub fn written(self, read: Value) -> Option<Value> {
        match self {
            Self::FetchUnless(_, operand, integer) if read == integer.convert(operand) => None,
            Self::Fetch(operator, operand, integer) | Self::FetchUnless(operator, operand, integer) => {
                Some(integer.convert(match operator {
                    UpdateOperator::Add => read.wrapping_add(operand),
                    UpdateOperator::Subtract => read.wrapping_sub(operand),
                    UpdateOperator::And => read & operand,
                    UpdateOperator::Or => read | operand,
                    UpdateOperator::Xor => read ^ operand,
                    UpdateOperator::Exchange => operand,
                    UpdateOperator::Max | UpdateOperator::Min => {
                        let keeps = integer.apply(Arithmetic::Less, read, operand) == Ok(0);
                        if keeps == (operator == UpdateOperator::Max) { read } else { operand }
                    }
                }))
            }
            Self::CompareAndSwap { expected, desired, .. } => (read == expected).then_some(desired),
        }
    }

    /// Whether it may be a plain read.
    pub fn may_only_read(self) -> bool {
        !matches!(self, Self::Fetch(..))
    }

    /// Whether it is a weak compare-and-swap that may fail although it reads what it expects.
    pub fn may_fail_spuriously(self, read: Value) -> bool {
        matches!(self, Self::CompareAndSwap { expected, weak: true, .. } if read == expected)
    }
}

/// What cut a thread ([`Limits`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// A loop went beyond [`Limits::unroll`].
    Unroll,
    /// [`Limits::local_steps`].
    LocalSteps,
    /// The thread's share of [`Limits::events`].
    Events,
    /// A message that is posted by one of the same name, and that by another, beyond [`Limits::unroll`].
    Posts,
}

/// Why a thread went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// An `assert` does not hold.
    AssertionViolated,
    /// A division or remainder by 0.
    DivisionByZero,
    /// A result that does not fit into C's signed type, which C leaves undefined.
    SignedOverflow,
    /// A shift by a negative distance, or by as many bits as the type has or more, which C leaves undefined.
    ShiftOutOfRange,
    /// An offset outside its object.
    OutOfBounds {
        /// The object.
        object: ObjectId,
        /// The offset.
        offset: Value,
    },
    /// An access through a number that is no address.
    NotAnAddress {
        /// The number.
        value: Value,
    },
    /// An access through an address to a mutex or channel, which is no memory.
    NotMemory {
        /// The object.
        object: ObjectId,
        /// The offset.
        offset: Value,
    },
    /// An unlock of a mutex that its thread does not hold.
    NotHeld {
        /// The mutex or array of mutexes.
        object: ObjectId,
        /// The offset.
        offset: Value,
    },
}

/// What a thread does next that others can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Action {
    /// Reads; [`ThreadState::resume`] wants the value.
    Read {
        /// From where.
        location: Location,
        /// How.
        mode: Mode,
    },
    /// Writes.
    Write {
        /// To where.
        location: Location,
        /// How.
        mode: Mode,
        /// What.
        value: Value,
    },
    /// Reads and, unless it is a failing compare-and-swap, writes; [`ThreadState::resume`] wants the value read.
    Update {
        /// Where.
        location: Location,
        /// The mode when it writes.
        mode: Mode,
        /// The mode when it does not.
        failure: Mode,
        /// What it writes.
        update: Update,
    },
    /// An operation of a library object; [`ThreadState::resume`] wants the value read if it waits.
    Library {
        /// The object's location.
        location: Location,
        /// What is done.
        operation: Operation,
    },
    /// A handler takes a message; [`ThreadState::take_message`] wants it.
    Get,
    /// An input ([`InstructionKind::Input`]) whose values have no locations to be read from; [`ThreadState::resume`] wants the value.
    Input,
    /// Puts a message into the mailbox of a handler.
    Post {
        /// The handler's thread.
        handler: u16,
        /// Which of its messages.
        message: u16,
        /// The value of its parameter.
        value: Value,
    },
    /// A fence.
    Fence(Mode),
    /// An error: the thread ends here.
    Error(ErrorKind),
    /// A failed assumption: the thread blocks here for good.
    Stuck,
    /// The thread is cut here.
    Bound(Bound),
    /// The thread is done.
    Finished,
    /// A round of a loop changed nothing ([`Code::spin_loops`]): the thread waits here for good, as at a failed
    /// assumption.
    Spin,
}

/// A thread begins or ends a call of a method, between two visible events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallMark {
    /// It begins one.
    Enter {
        /// The concurrent object, by its place in [`super::Program::structures`].
        structure: u16,
        /// The method, by its place in the object.
        method: u16,
        /// The values of its parameters.
        arguments: Vec<Value>,
    },
    /// It returns from the call that it is in, with a value if the method returns one.
    Leave(Option<Value>),
}

/// A thread between two visible events.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ThreadState {
    pc: usize,
    /// How many visible instructions it has performed.
    events: u32,
    /// How many blocks that are atomic it has begun.
    blocks: u32,
    registers: Box<[Value]>,
    rounds: Box<[u32]>,
    /// How the thread was at the head of each loop that it is in, outermost first; perhaps of some that it left too.
    heads: Vec<Head>,
    /// The mutexes that it holds.
    held: Vec<Location>,
}

/// A thread at the head of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Head {
    /// Nothing that others could notice was done since.
    clean: bool,
    /// How many visible instructions it had performed.
    events: u32,
    /// The registers that the loop compares.
    values: Box<[Value]>,
}

impl ThreadState {
    /// The thread before its first instruction.
    pub fn new(code: &Code, thread: usize) -> Self {
        let code = &code.threads[thread];
        let (registers, rounds) = (code.registers.as_slice().into(), vec![0; code.loops.len()].into());
        Self { pc: 0, events: 0, blocks: 0, registers, rounds, heads: Vec::new(), held: Vec::new() }
    }

    /// The registers: the thread's own by [`super::RegisterId`], then temporaries.
    pub fn registers(&self) -> &[Value] {
        &self.registers
    }

    /// Whether it may still perform an operation on some object; may say so where conditions never let it.
    pub fn may_reach(&self, code: &Code, thread: usize, object: ObjectId, operation: Operation) -> bool {
        code.threads[thread].may_reach(self.pc, object, operation)
    }

    /// The number of the block that its next event belongs to, if that is in one that is atomic. To be asked behind
    /// [`Self::advance`]. Linear in the code.
    pub fn block(&self, code: &Code, thread: usize) -> Option<u32> {
        let instructions = &code.threads[thread].instructions;
        // None is within another.
        let end =
            instructions[..self.pc.min(instructions.len())].iter().rev().find_map(|before| match before.kind {
                InstructionKind::Atomic(end) => Some(end),
                _ => None,
            })?;
        (self.pc < end).then_some(self.blocks)
    }

    /// Whether the thread may wait behind its next event, a read: it is in a loop, or an assumption comes. May say so where it
    /// never does.
    pub fn may_wait(&self, code: &Code, thread: usize, limits: Limits) -> bool {
        let code = &code.threads[thread];
        let is_in = |l: &Loop| (l.head..l.end).contains(&self.pc);
        let assumes = |kind: &InstructionKind| matches!(kind, InstructionKind::Assume(_));
        !limits.unroll_spins && code.loops.iter().any(is_in)
            || code.instructions[self.pc.min(code.instructions.len())..].iter().any(|next| assumes(&next.kind))
    }

    /// At the head of a loop: how many visible instructions the thread had performed when it was there before.
    pub fn round_began(&self, code: &Code, thread: usize) -> Option<u32> {
        let code = &code.threads[thread];
        let InstructionKind::Head(id) = code.instructions.get(self.pc)?.kind else { return None };
        self.heads.get(code.loops[id].depth).map(|head| head.events)
    }

    /// The instruction that comes next; `None` behind the last.
    pub fn instruction_at<'c>(&self, code: &'c Code, thread: usize) -> Option<&'c InstructionKind> {
        code.threads[thread].instructions.get(self.pc).map(|instruction| &instruction.kind)
    }

    /// Where the instruction stands that comes next; `None` behind the last.
    pub fn span(&self, code: &Code, thread: usize) -> Option<Span> {
        code.threads[thread].instructions.get(self.pc).map(|instruction| instruction.span)
    }

    /// Runs local instructions up to the next visible one, stays there and says what it is. Calling it again says the
    /// same.
    pub fn advance(&mut self, code: &Code, thread: usize, limits: Limits) -> Action {
        self.advance_watched(code, thread, limits, |_, _| ())
    }

    /// As [`Self::advance`], showing each instruction, and the thread, before it is run, and at last the visible one, if the thread gets
    /// there.
    pub fn advance_watched(
        &mut self,
        code: &Code,
        thread: usize,
        limits: Limits,
        mut watch: impl FnMut(&Self, &InstructionKind),
    ) -> Action {
        let instructions = &code.threads[thread].instructions;
        let mut steps = 0;
        while steps < limits.local_steps {
            let Some(instruction) = instructions.get(self.pc) else { return Action::Finished };
            watch(self, &instruction.kind);
            // Heads come with rounds, which count.
            steps += u32::from(!matches!(instruction.kind, InstructionKind::Head(_)));
            match self.instruction(code, thread, &instruction.kind, limits).map(|action| match action {
                Some(action @ Action::Update { .. }) => Some(self.waiting(code, thread, limits, action)),
                action => action,
            }) {
                // It has one more event then, which says so.
                Ok(Some(_)) if self.events >= limits.events_of_a_thread(code.threads.len()) => {
                    return Action::Bound(Bound::Events);
                }
                Ok(Some(action)) => return action,
                Ok(None) => {}
                Err(error) => return Action::Error(error),
            }
        }
        Action::Bound(Bound::LocalSteps)
    }

    /// As [`Self::advance`], telling of each call that is entered or left on the way.
    pub fn advance_through_calls(
        &mut self,
        code: &Code,
        thread: usize,
        limits: Limits,
        mut tell: impl FnMut(CallMark),
    ) -> Action {
        self.advance_watched(code, thread, limits, |state, kind| match kind {
            InstructionKind::Enter { structure, method, parameters } => {
                let arguments = parameters.iter().map(|register| state.registers[usize::from(register.0)]).collect();
                tell(CallMark::Enter { structure: *structure, method: *method, arguments });
            }
            InstructionKind::Leave(None) => tell(CallMark::Leave(None)),
            // A value that there is not is an error, and the call goes on for ever.
            InstructionKind::Leave(Some(value)) => {
                if let Ok(value) = state.value(value) {
                    tell(CallMark::Leave(Some(value)));
                }
            }
            _ => {}
        })
    }

    fn instruction(
        &mut self,
        code: &Code,
        thread: usize,
        kind: &InstructionKind,
        limits: Limits,
    ) -> Result<Option<Action>, ErrorKind> {
        match kind {
            InstructionKind::Read { target, mode, .. } => {
                let location = self.location(code, target)?;
                return Ok(Some(Action::Read { location, mode: *mode }));
            }
            InstructionKind::Write { target, mode, value } => {
                let (location, value) = (self.location(code, target)?, self.value(value)?);
                return Ok(Some(Action::Write { location, mode: *mode, value }));
            }
            InstructionKind::Update { target, mode, .. } => {
                let (location, update) = (self.location(code, target)?, self.update(kind)?);
                return Ok(Some(Action::Update { location, mode: *mode, failure: *mode, update }));
            }
            InstructionKind::CompareAndSwap { target, mode, failure, .. } => {
                let (location, update) = (self.location(code, target)?, self.update(kind)?);
                return Ok(Some(Action::Update { location, mode: *mode, failure: *failure, update }));
            }
            InstructionKind::Fence(mode) => return Ok(Some(Action::Fence(*mode))),
            InstructionKind::Assign { register, value } => {
                self.registers[register.0 as usize] = self.value(value)?;
                self.pc += 1;
            }
            InstructionKind::Jump(target) => self.pc = *target,
            InstructionKind::Branch { condition, otherwise } => {
                self.pc = if self.value(condition)? != 0 { self.pc + 1 } else { *otherwise };
            }
            InstructionKind::EnterLoop(id) => {
                self.rounds[*id] = 0;
                self.heads.truncate(code.threads[thread].loops[*id].depth);
                self.pc += 1;
            }
            InstructionKind::Head(id) => {
                if !limits.unroll_spins && !self.begin_round(&code.threads[thread].loops[*id]) {
                    return Ok(Some(Action::Spin));
                }
                self.pc += 1;
            }
            InstructionKind::Round(id) => {
                if self.rounds[*id] >= limits.unroll {
                    return Ok(Some(Action::Bound(Bound::Unroll)));
                }
                self.rounds[*id] += 1;
                self.pc += 1;
            }
            InstructionKind::Assert(condition) => {
                if self.value(condition)? == 0 {
                    return Err(ErrorKind::AssertionViolated);
                }
                self.pc += 1;
            }
            InstructionKind::Assume(condition) => {
                if self.value(condition)? == 0 {
                    return Ok(Some(Action::Stuck));
                }
                self.pc += 1;
            }
            InstructionKind::Lock(target) => {
                let location = self.location(code, target)?;
                return Ok(Some(Action::Library { location, operation: Operation::Lock }));
            }
            InstructionKind::Unlock(target) => {
                let location = self.location(code, target)?;
                if !self.held.contains(&location) {
                    let (object, offset) = code.object(location);
                    return Err(ErrorKind::NotHeld { object, offset: offset.into() });
                }
                return Ok(Some(Action::Library { location, operation: Operation::Unlock }));
            }
            InstructionKind::End(target) => {
                let location = self.location(code, target)?;
                return Ok(Some(Action::Library { location, operation: Operation::End }));
            }
            InstructionKind::Join(target) => {
                let location = self.location(code, target)?;
                return Ok(Some(Action::Library { location, operation: Operation::Join }));
            }
            InstructionKind::Send { target, value } => {
                let (location, value) = (self.location(code, target)?, self.value(value)?);
                return Ok(Some(Action::Library { location, operation: Operation::Send(value) }));
            }
            InstructionKind::Receive { target, .. } => {
                let location = self.location(code, target)?;
                return Ok(Some(Action::Library { location, operation: Operation::Receive }));
            }
            InstructionKind::Input { first, .. } => {
                let read = |location| Action::Read { location, mode: Mode::Relaxed };
                return Ok(Some(first.map_or(Action::Input, read)));
            }
            InstructionKind::Atomic(_) => {
                self.blocks += 1;
                self.pc += 1;
            }
            InstructionKind::Enter { .. } | InstructionKind::EndAtomic => self.pc += 1,
            InstructionKind::Leave(value) => {
                value.iter().try_for_each(|value| self.value(value).map(drop))?;
                self.heads.iter_mut().for_each(|head| head.clean = false);
                self.pc += 1;
            }
            InstructionKind::Get => return Ok(Some(Action::Get)),
            InstructionKind::Post { handler, message, value } => {
                let value = self.value(value)?;
                return Ok(Some(Action::Post { handler: *handler, message: *message, value }));
            }
        }
        Ok(None)
    }

    /// What a read-modify-write does, its operands evaluated.
    fn update(&self, kind: &InstructionKind) -> Result<Update, ErrorKind> {
        Ok(match kind {
            InstructionKind::Update { operator, operand, integer, .. } => {
                Update::Fetch(*operator, self.value(operand)?, *integer)
            }
            InstructionKind::CompareAndSwap { expected, desired, weak, .. } => {
                let (expected, desired) = (self.value(expected)?, self.value(desired)?);
                Update::CompareAndSwap { expected, desired, weak: *weak }
            }
            other => panic!("{other:?} is no read-modify-write"),
        })
    }

    /// The update that the thread stands at, as one that waits if it does: on reading what it writes again, the loop comes back to
    /// its head at once, and has changed nothing.
    fn waiting(&self, code: &Code, thread: usize, limits: Limits, action: Action) -> Action {
        let Action::Update { location, mode, update: Update::Fetch(operator, operand, integer), .. } = action else {
            return action;
        };
        let operand = integer.convert(operand);
        let is_quiet = Update::Fetch(operator, operand, integer).written(operand) == Some(operand);
        if limits.unroll_spins || code.rewriting_counts || !is_quiet || !self.heads.iter().any(|head| head.clean) {
            return action;
        }
        let mut behind = self.clone();
        behind.resume(code, thread, Some(operand));
        let instructions = &code.threads[thread].instructions;
        for _ in 0..limits.local_steps {
            let Some(instruction) = instructions.get(behind.pc) else { return action };
            match behind.instruction(code, thread, &instruction.kind, limits) {
                Ok(None) => {}
                Ok(Some(Action::Spin)) => {
                    let update = Update::FetchUnless(operator, operand, integer);
                    return Action::Update { location, mode, failure: mode.of_read(), update };
                }
                Ok(Some(_)) | Err(_) => return action,
            }
        }
        action
    }

    /// Notes how the thread is at a loop's head, unless the round behind it was a spin round.
    fn begin_round(&mut self, l: &Loop) -> bool {
        let compared = l.compared.as_deref().unwrap_or_default();
        let values = compared.iter().map(|register| self.registers[register.0 as usize]);
        if let Some(head) = self.heads.get(l.depth)
            && head.clean
            && values.clone().eq(head.values.iter().copied())
        {
            return false;
        }
        let head = Head { clean: l.compared.is_some(), events: self.events, values: values.collect() };
        self.heads.truncate(l.depth);
        self.heads.push(head);
        true
    }

    /// Whether the visible instruction that the thread stands at changes more than its registers, on reading `read`: it
    /// writes, or could be one side of a data race.
    fn has_effect(&self, code: &Code, kind: &InstructionKind, read: Option<Value>, spurious: bool) -> bool {
        let may_race = |target| self.location(code, target).is_ok_and(|location| code.may_race(location));
        match kind {
            InstructionKind::Fence(_) => false,
            InstructionKind::Read { target, .. } => may_race(target),
            InstructionKind::Update { target, .. } | InstructionKind::CompareAndSwap { target, .. } => {
                let written = self.update(kind).ok().zip(read).and_then(|(update, read)| update.written(read));
                let changes = written.is_some() && (written != read || code.rewriting_counts);
                changes && !spurious || may_race(target)
            }
            _ => true,
        }
    }

    /// Goes past the visible instruction that [`Self::advance`] stopped at; `read` is the value of a read or update.
    ///
    /// # Panics
    /// If the thread does not stand at a read, write, update, operation or fence.
    pub fn resume(&mut self, code: &Code, thread: usize, read: Option<Value>) {
        self.resume_as(code, thread, read, false);
    }

    /// The same, where a weak compare-and-swap may have failed although it read the value it looked for.
    ///
    /// # Panics
    /// As [`Self::resume`].
    pub fn resume_as(&mut self, code: &Code, thread: usize, read: Option<Value>, spurious: bool) {
        let kind = &code.threads[thread].instructions[self.pc].kind;
        if !self.heads.is_empty() && self.has_effect(code, kind, read, spurious) {
            self.heads.iter_mut().for_each(|head| head.clean = false);
        }
        match kind {
            InstructionKind::Write { .. }
            | InstructionKind::Fence(_)
            | InstructionKind::Send { .. }
            | InstructionKind::End(_)
            | InstructionKind::Join(_)
            | InstructionKind::Post { .. } => {}
            InstructionKind::Lock(target) => {
                let location = self.location(code, target).expect("advance has computed it");
                self.held.push(location);
            }
            InstructionKind::Unlock(target) => {
                let location = self.location(code, target).expect("advance has computed it");
                self.held.retain(|held| *held != location);
            }
            InstructionKind::Read { register, .. }
            | InstructionKind::Input { register, .. }
            | InstructionKind::Update { register, .. }
            | InstructionKind::Receive { register, .. } => {
                self.registers[register.0 as usize] = read.expect("a read has a value");
            }
            InstructionKind::CompareAndSwap { register, expected, result, .. } => {
                let read = read.expect("a read has a value");
                match result {
                    CasResult::ValueRead => self.registers[register.0 as usize] = read,
                    CasResult::Success(written_back) => {
                        let success = !spurious && self.value(expected) == Ok(read);
                        if !success {
                            self.registers[written_back.0 as usize] = read;
                        }
                        self.registers[register.0 as usize] = Value::from(success);
                    }
                }
            }
            other => panic!("{other:?} is not visible"),
        }
        self.pc += 1;
        self.events += 1;
    }

    /// Lets a handler that stands at its get take a message, with the value that was posted.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn take_message(&mut self, code: &Code, thread: usize, message: u16, value: Value) {
        let message = &code.threads[thread].messages[usize::from(message)];
        if let Some(parameter) = message.parameter {
            self.registers[parameter.0 as usize] = value;
        }
        self.pc = message.entry;
        self.events += 1;
    }

    fn location(&self, code: &Code, target: &Target) -> Result<Location, ErrorKind> {
        let (object, offset) = match target {
            Target::Element(object, index) => (*object, index.as_ref().map_or(Ok(0), |index| self.value(index))?),
            Target::Pointee(address) => {
                let value = self.value(address)?;
                let address = code.address(value).ok_or(ErrorKind::NotAnAddress { value })?;
                let (object, offset) = (address.object, Value::from(address.offset));
                if code.kinds[object.0 as usize] != ObjectKind::Memory {
                    return Err(ErrorKind::NotMemory { object, offset });
                }
                (object, offset)
            }
        };
        code.location(object, offset).ok_or(ErrorKind::OutOfBounds { object, offset })
    }

    fn value(&self, operand: &Operand) -> Result<Value, ErrorKind> {
        evaluate(operand, &self.registers).map_err(|error| match error {
            EvaluationError::DivisionByZero => ErrorKind::DivisionByZero,
            EvaluationError::SignedOverflow => ErrorKind::SignedOverflow,
            EvaluationError::ShiftOutOfRange => ErrorKind::ShiftOutOfRange,
        })
    }
}

pub(super) fn evaluate(operand: &Operand, registers: &[Value]) -> Result<Value, EvaluationError> {
    match operand {
        Expression::Constant(value) => Ok(*value),
        Expression::Register(register) => Ok(registers[register.0 as usize]),
        Expression::Access(_) => unreachable!("Code::compile makes accesses instructions of their own"),
        Expression::Unary(operator, operand) => Ok(operator.apply(evaluate(operand, registers)?)),
        Expression::Binary(operator, left, right) => {
            let left = evaluate(left, registers)?;
            match operator {
                BinaryOperator::And if left == 0 => Ok(0),
                BinaryOperator::Or if left != 0 => Ok(1),
                _ => operator.apply(left, evaluate(right, registers)?),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The registers a and e after `a := wcas(x, &e, 1)` has read a value, spuriously failing or not.
    fn after(read: Value, spurious: bool) -> Vec<Value> {
        let program = crate::syntax::parse("a := wcas(x, &e, 1)").expect("a program").program;
        let code = Code::compile(&program).expect("code");
        let mut state = ThreadState::new(&code, 0);
        let Action::Update { update, .. } = state.advance(&code, 0, Limits::default()) else { panic!() };
        assert_eq!(update, Update::CompareAndSwap { expected: 0, desired: 1, weak: true });
        state.resume_as(&code, 0, Some(read), spurious);
        state.registers()[..2].to_vec()
    }

    #[test]
    fn a_weak_compare_and_swap_may_fail_on_the_value_expected() {
        assert_eq!(after(0, false), [1, 0]);
        assert_eq!(after(0, true), [0, 0]);
        assert_eq!(after(7, false), [0, 7]);
    }
}
