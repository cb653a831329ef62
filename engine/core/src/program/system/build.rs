//! Code to points and transitions, by running each thread from every point on with unknown values.

use super::term::error_of;
use super::{
    EventKind, Fault, Holds, Point, PointId, PointKind, System, SystemAccess, SystemError, SystemThread, Taken, Term,
    Transition, TransitionId, Variable, name_of,
};
use crate::program::{
    Address, BinaryOperator, CasResult, Code, EvaluationError, Expression, Input, InstructionKind, Integer, Location,
    ObjectId, ObjectKind, Observable, Operand, Program, RegisterId, Span, Target, ThreadCode, UnaryOperator,
    UpdateOperator, Value,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many ways there may be from one event to the next.
const MAX_WAYS: usize = 4096;
/// How many mutexes or channels may be told apart by a computed index.
const MAX_ELEMENTS: usize = 64;

/// Where a thread may stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stop {
    /// In front of an instruction.
    At(usize),
    /// At an assumption that does not hold.
    Stuck(usize),
    /// An instruction went wrong.
    Error(Fault, usize),
    /// Behind the last instruction.
    Ended,
}

/// One way on from a point.
#[derive(Clone)]
struct Way {
    pc: usize,
    /// What was assigned, by register.
    registers: FxHashMap<u16, Arc<Term>>,
    /// What was written.
    memory: BTreeMap<Variable, Arc<Term>>,
    guard: Vec<Arc<Term>>,
    inputs: Vec<Input>,
    reads: BTreeSet<Variable>,
    writes: BTreeSet<Variable>,
    accesses: Vec<SystemAccess>,
    branches: Vec<Taken>,
    /// It is within `atomic`.
    atomic: bool,
    /// An assumption belongs to its event: nothing was written.
    waits: bool,
}

impl Way {
    fn at(pc: usize) -> Self {
        Self {
            pc,
            registers: FxHashMap::default(),
            memory: BTreeMap::new(),
            guard: Vec::new(),
            inputs: Vec::new(),
            reads: BTreeSet::new(),
            writes: BTreeSet::new(),
            accesses: Vec::new(),
            branches: Vec::new(),
            atomic: false,
            waits: true,
        }
    }

    fn read(&mut self, variable: Variable) -> Arc<Term> {
        self.access(&[(Term::constant(1), variable)], false);
        self.value(variable)
    }

    fn write(&mut self, variable: Variable, value: Arc<Term>) {
        self.access(&[(Term::constant(1), variable)], true);
        self.memory.insert(variable, value);
    }

    /// Notes an access.
    fn access(&mut self, places: &[(Arc<Term>, Variable)], writes: bool) {
        let variables = if writes { &mut self.writes } else { &mut self.reads };
        variables.extend(places.iter().map(|(_, variable)| *variable));
        self.accesses.push(SystemAccess { places: places.into(), writes });
    }

    /// What a variable holds by now.
    fn value(&self, variable: Variable) -> Arc<Term> {
        self.memory.get(&variable).cloned().unwrap_or_else(|| Arc::new(Term::Variable(variable)))
    }

    /// The way on where a condition holds; `None` if it never does.
    fn where_holds(mut self, condition: &Arc<Term>) -> Option<Self> {
        let condition = Term::truth(condition);
        match condition.known() {
            Some(0) => return None,
            Some(_) => return Some(self),
            None => {}
        }
        if self.guard.contains(&Term::not(&condition)) {
            return None;
        }
        if !self.guard.contains(&condition) {
            self.guard.push(condition);
        }
        Some(self)
    }
}

/// What an access may be to: variables, each with the condition under which it is that one.
type Places = Vec<(Arc<Term>, Variable)>;

struct Builder<'c> {
    code: &'c Code,
    /// By location: whether something is in a channel.
    full: FxHashMap<Location, Variable>,
    /// By thread, by register.
    slots: Vec<FxHashMap<u16, Variable>>,
    /// The declared ranges, by variable.
    ranges: FxHashMap<Variable, (Value, Value)>,
}

/// A thread while it is looked at.
struct Thread<'c> {
    code: &'c ThreadCode,
    index: usize,
    /// By instruction: the registers that matter in front of it. One more for the end.
    live: Vec<BTreeSet<u16>>,
    /// By instruction: the head of a loop whose rounds may have no event.
    cut: Vec<bool>,
    /// By instruction: the mutexes that the thread holds in front of it, whichever way it came. `None` if it never comes there.
    held: Vec<Option<BTreeSet<(ObjectId, Value)>>>,
}

impl System {
    /// The transition system of a program and its code.
    ///
    /// Each point is run once with unknown values: linear in the ways from each event to the next.
    ///
    /// # Errors
    /// [`SystemError`] for what has none, or one that is too large.
    pub fn of(program: &Program, code: &Code) -> Result<Self, SystemError> {
        if code.has_handlers() {
            return Err(SystemError::Handlers);
        }
        if let Some(object) = program.objects.iter().find(|object| object.uninitialised)
            && program.before.is_none()
        {
            return Err(SystemError::Uninitialised { name: object.name.clone() });
        }
        let locations = (0..code.cells() as u32).map(Location);
        let mut variables: Vec<Holds> = locations.clone().map(Holds::Memory).collect();
        let mut full = FxHashMap::default();
        for location in locations.filter(|at| code.kinds[usize::from(code.object(*at).0.0)] == ObjectKind::Channel) {
            full.insert(location, Variable(variables.len() as u32));
            variables.push(Holds::Full(location));
        }
        let mut threads = Vec::new();
        let mut slots = Vec::new();
        for (index, thread) in code.threads.iter().enumerate() {
            let thread = Thread::new(program, thread, index)?;
            let mut own = FxHashMap::default();
            let mut needed: BTreeSet<u16> = BTreeSet::new();
            for (pc, live) in thread.live.iter().enumerate() {
                if thread.may_stop(pc) {
                    needed.extend(live);
                }
            }
            for register in needed {
                own.insert(register, Variable(variables.len() as u32));
                variables.push(Holds::Register(index as u16, RegisterId(register)));
            }
            slots.push(own);
            threads.push(thread);
        }
        let names = variables.iter().map(|holds| name_of(program, *holds, |at| code.object(at))).collect();
        let mut initial = code.initial[..code.cells()].to_vec();
        initial.resize(variables.len(), 0);
        let mut ranges = Vec::new();
        for range in program.premise.iter().flat_map(|premise| &premise.ranges) {
            let (first, length) = (code.location(range.object, 0), program.objects.get(usize::from(range.object.0)));
            let length = length.map_or(0, |object| object.initial.len() as u32);
            let locations = first.into_iter().flat_map(|first| first.0..first.0 + length);
            ranges.extend(locations.map(|location| (Variable(location), range.first, range.last)));
        }
        ranges.sort_unstable();
        let by_variable = ranges.iter().map(|(variable, first, last)| (*variable, (*first, *last))).collect();
        let builder = Builder { code, full, slots, ranges: by_variable };
        let inputs = code.beyond.iter().flat_map(|beyond| &beyond.inputs);
        let mut system = Self {
            variables,
            names,
            threads: Vec::new(),
            transitions: Vec::new(),
            initial,
            inputs: inputs.map(|(at, input)| (Variable(at.0), input.clone())).collect(),
            assuming: Vec::new(),
            ranges,
            addresses: Vec::new(),
        };
        let memory = (0..code.cells() as u32).map(Location);
        system.addresses.extend(memory.map(|location| {
            let (object, offset) = code.object(location);
            (Address { object, offset: offset as i32 }.value(), Variable(location.0))
        }));
        for thread in &threads {
            builder.thread(program, thread, &mut system)?;
        }
        if let Some(assuming) = code.beyond.as_ref().and_then(|beyond| beyond.assuming.as_ref()) {
            system.assuming = builder.assuming(program, assuming)?;
        }
        Ok(system)
    }
}

impl<'c> Thread<'c> {
    fn new(program: &Program, code: &'c ThreadCode, index: usize) -> Result<Self, SystemError> {
        let seen = match program.condition.is_some() || program.observed.is_some() || program.filter.is_some() {
            true => program.observables(),
            false => Vec::new(),
        };
        let seen = seen.into_iter().filter_map(|observable| match observable {
            Observable::Register { thread, register } if usize::from(thread) == index => Some(register.0),
            _ => None,
        });
        let mut this = Self { code, index, live: Vec::new(), cut: Vec::new(), held: Vec::new() };
        this.live = this.liveness(seen.collect());
        this.cut = this.silent_loops()?;
        this.held = this.mutexes_held();
        Ok(this)
    }

    fn next(&self, pc: usize) -> [Option<usize>; 2] {
        match &self.code.instructions[pc].kind {
            InstructionKind::Jump(target) => [Some(*target), None],
            InstructionKind::Branch { condition: Expression::Constant(0), otherwise } => [Some(*otherwise), None],
            InstructionKind::Branch { condition: Expression::Constant(_), .. } => [Some(pc + 1), None],
            InstructionKind::Branch { otherwise, .. } => [Some(pc + 1), Some(*otherwise)],
            _ => [Some(pc + 1), None],
        }
    }

    /// The registers that matter in front of each instruction, where those matter at the end. Each pass is linear; there are as many as
    /// loops are in each other, and one.
    fn liveness(&self, at_end: BTreeSet<u16>) -> Vec<BTreeSet<u16>> {
        let end = self.code.instructions.len();
        let mut live = vec![BTreeSet::new(); end + 1];
        live[end] = at_end;
        loop {
            let mut changed = false;
            for pc in (0..end).rev() {
                let mut row = BTreeSet::new();
                for next in self.next(pc).into_iter().flatten() {
                    row.extend(&live[next.min(end)]);
                }
                let kind = &self.code.instructions[pc].kind;
                if let Some(register) = kind.assigns()[0] {
                    row.remove(&register.0);
                }
                kind.operands().for_each(|operand| {
                    operand.each_register(&mut |register| {
                        row.insert(register.0);
                    });
                });
                changed |= row != live[pc];
                live[pc] = row;
            }
            if !changed {
                return live;
            }
        }
    }

    /// The mutexes that the thread holds in front of each instruction, whichever way it came.
    fn mutexes_held(&self) -> Vec<Option<BTreeSet<(ObjectId, Value)>>> {
        let end = self.code.instructions.len();
        let mut held: Vec<Option<BTreeSet<(ObjectId, Value)>>> = vec![None; end + 1];
        held[0] = Some(BTreeSet::new());
        let mut work = vec![0];
        while let Some(pc) = work.pop() {
            let Some(mut behind) = held[pc].clone().filter(|_| pc < end) else { continue };
            match &self.code.instructions[pc].kind {
                InstructionKind::Lock(target) => behind.extend(named(target)),
                InstructionKind::Unlock(target) => match named(target) {
                    Some(mutex) => {
                        behind.remove(&mutex);
                    }
                    None => behind.clear(),
                },
                _ => {}
            }
            for next in self.next(pc).into_iter().flatten() {
                let known = &mut held[next.min(end)];
                let both = match known {
                    None => behind.clone(),
                    Some(known) => known.intersection(&behind).copied().collect(),
                };
                if known.as_ref() != Some(&both) {
                    *known = Some(both);
                    work.push(next.min(end));
                }
            }
        }
        held
    }

    /// The heads of the loops that have a way round without an event.
    fn silent_loops(&self) -> Result<Vec<bool>, SystemError> {
        let instructions = &self.code.instructions;
        let mut cut = vec![false; instructions.len()];
        for (head, instruction) in instructions.iter().enumerate() {
            if !matches!(instruction.kind, InstructionKind::Head(_)) {
                continue;
            }
            // Where one gets from the head without an event.
            let mut reached = BTreeSet::new();
            let (mut returns, mut leaves) = (false, false);
            let mut work = vec![head + 1];
            while let Some(pc) = work.pop() {
                match instructions.get(pc).map(|instruction| &instruction.kind) {
                    None => leaves = true,
                    Some(kind) if is_visible(kind) => leaves = true,
                    Some(_) if pc == head => returns = true,
                    Some(kind) => {
                        leaves |= matches!(kind, InstructionKind::Assume(_) | InstructionKind::Assert(_));
                        if reached.insert(pc) {
                            work.extend(self.next(pc).into_iter().flatten());
                        }
                    }
                }
            }
            if returns && !leaves {
                return Err(SystemError::Endless { span: instruction.span });
            }
            cut[head] = returns;
        }
        Ok(cut)
    }

    /// Whether a point may be in front of an instruction.
    fn may_stop(&self, pc: usize) -> bool {
        self.code.instructions.get(pc).is_none_or(|instruction| is_visible(&instruction.kind) || self.cut[pc])
    }

    fn span(&self, pc: usize) -> Span {
        let instructions = &self.code.instructions;
        instructions.get(pc).or(instructions.last()).map_or(Span::default(), |instruction| instruction.span)
    }
}

/// The mutex that is meant, if that is known.
fn named(target: &Target) -> Option<(ObjectId, Value)> {
    match target {
        Target::Element(object, None) => Some((*object, 0)),
        Target::Element(object, Some(Expression::Constant(offset))) => Some((*object, *offset)),
        _ => None,
    }
}

/// Whether others can see an instruction.
fn is_visible(kind: &InstructionKind) -> bool {
    !matches!(
        kind,
        InstructionKind::Assign { .. }
            | InstructionKind::EndAtomic
            | InstructionKind::Jump(_)
            | InstructionKind::Branch { .. }
            | InstructionKind::EnterLoop(_)
            | InstructionKind::Head(_)
            | InstructionKind::Round(_)
            | InstructionKind::Assert(_)
            | InstructionKind::Assume(_)
            | InstructionKind::Enter { .. }
            | InstructionKind::Leave(_)
    )
}

fn event(kind: &InstructionKind) -> EventKind {
    match kind {
        InstructionKind::Read { .. } => EventKind::Read,
        InstructionKind::Write { .. } => EventKind::Write,
        InstructionKind::Update { operator, .. } => EventKind::Update(*operator),
        InstructionKind::CompareAndSwap { .. } => EventKind::CompareAndSwap,
        InstructionKind::Fence(mode) => EventKind::Fence(*mode),
        InstructionKind::Lock(_) => EventKind::Lock,
        InstructionKind::Unlock(_) => EventKind::Unlock,
        InstructionKind::Send { .. } => EventKind::Send,
        InstructionKind::Receive { .. } => EventKind::Receive,
        InstructionKind::End(_) => EventKind::End,
        InstructionKind::Join(_) => EventKind::Join,
        InstructionKind::Input { .. } => EventKind::Input,
        InstructionKind::Atomic(_) => EventKind::Atomic,
        _ => EventKind::Local,
    }
}

/// What is found of the ways on from a point.
#[derive(Default)]
struct Found {
    ended: Vec<(Way, Stop)>,
    /// There is a way that an assumption, or something that is not free, closes.
    may_block: bool,
}

impl Builder<'_> {
    fn thread(&self, program: &Program, thread: &Thread<'_>, system: &mut System) -> Result<(), SystemError> {
        let mut own = SystemThread { name: program.thread_name(thread.index), points: Vec::new(), start: PointId(0) };
        let mut known: FxHashMap<Stop, PointId> = FxHashMap::default();
        let mut stops: Vec<Stop> = Vec::new();
        let point = |stop: Stop, own: &mut SystemThread, stops: &mut Vec<Stop>, known: &mut FxHashMap<_, _>| {
            *known.entry(stop).or_insert_with(|| {
                stops.push(stop);
                own.points.push(self.point(thread, stop));
                PointId(own.points.len() as u32 - 1)
            })
        };
        // With all registers known, there is one way to the first event.
        let mut start = Way::at(0);
        start.waits = false;
        for (register, value) in thread.code.registers.iter().enumerate() {
            start.registers.insert(register as u16, Term::constant(*value));
        }
        let mut found = Found::default();
        self.run(thread, vec![start], &mut found)?;
        let (way, stop) = found.ended.pop().ok_or(SystemError::Endless { span: thread.span(0) })?;
        own.start = point(stop, &mut own, &mut stops, &mut known);
        for &variable in &own.points[0].live {
            if let Some(Holds::Register(_, register)) = system.variables.get(variable.0 as usize).copied()
                && let Some(value) = way.registers.get(&register.0).and_then(|term| term.known())
            {
                system.initial[variable.0 as usize] = value;
            }
        }
        let mut at = 0;
        while let Some(stop) = stops.get(at).copied() {
            let from = PointId(at as u32);
            at += 1;
            let found = match stop {
                Stop::At(pc) => self.ways(thread, pc)?,
                Stop::Stuck(_) => {
                    let mut way = Way::at(0);
                    way.guard.push(Term::constant(0));
                    Found { ended: vec![(way, stop)], may_block: true }
                }
                Stop::Error(..) | Stop::Ended => continue,
            };
            own.points[from.0 as usize].may_block = found.may_block;
            for (way, stop) in found.ended {
                let to = point(stop, &mut own, &mut stops, &mut known);
                let id = TransitionId(system.transitions.len() as u32);
                own.points[from.0 as usize].transitions.push(id);
                let live = [from, to].map(|point| &own.points[point.0 as usize].live);
                let is_back_jump =
                    matches!((stops[from.0 as usize], stop), (Stop::At(from), Stop::At(to)) if to <= from);
                let transition = self.transition(thread, way, (from, live[0]), (to, live[1]), is_back_jump);
                system.transitions.push(transition);
            }
        }
        system.threads.push(own);
        Ok(())
    }

    fn point(&self, thread: &Thread<'_>, stop: Stop) -> Point {
        let end = thread.code.instructions.len();
        let (kind, pc) = match stop {
            Stop::At(pc) => (PointKind::Event(event(&thread.code.instructions[pc].kind)), pc),
            Stop::Stuck(pc) => (PointKind::Event(EventKind::Stuck), pc),
            Stop::Error(fault, pc) => (PointKind::Error(fault), pc),
            Stop::Ended => (PointKind::Ended, end),
        };
        let registers = match stop {
            Stop::At(pc) => Some(&thread.live[pc]),
            Stop::Ended => Some(&thread.live[end]),
            Stop::Stuck(_) | Stop::Error(..) => None,
        };
        let slots = &self.slots[thread.index];
        let mut live: Vec<_> =
            registers.into_iter().flatten().filter_map(|register| slots.get(register).copied()).collect();
        live.sort_unstable();
        Point { kind, span: thread.span(pc), transitions: Vec::new(), may_block: false, live: live.into() }
    }

    fn transition(
        &self,
        thread: &Thread<'_>,
        way: Way,
        (from, before): (PointId, &[Variable]),
        (to, behind): (PointId, &[Variable]),
        is_back_jump: bool,
    ) -> Transition {
        let mut assignments: Vec<(Variable, Arc<Term>)> = way.memory.into_iter().collect();
        for (register, variable) in &self.slots[thread.index] {
            if behind.contains(variable)
                && let Some(term) = way.registers.get(register)
            {
                assignments.push((*variable, term.clone()));
            }
        }
        assignments.retain(|(variable, term)| **term != Term::Variable(*variable));
        assignments.sort_by_key(|(variable, _)| *variable);
        let mut guard = way.guard;
        guard.sort_by_key(|term| term.has_input());
        Transition {
            thread: thread.index as u16,
            from,
            to,
            guard,
            assignments,
            forgets: before.iter().copied().filter(|variable| !behind.contains(variable)).collect(),
            inputs: way.inputs,
            reads: way.reads.into_iter().collect(),
            writes: way.writes.into_iter().collect(),
            accesses: way.accesses,
            branches: way.branches,
            is_back_jump,
        }
    }

    /// What is assumed at the start.
    fn assuming(&self, program: &Program, code: &ThreadCode) -> Result<Vec<Arc<Term>>, SystemError> {
        let thread = Thread::new(program, code, usize::MAX)?;
        let mut start = Way::at(0);
        start.atomic = true;
        let mut found = Found::default();
        self.run(&thread, vec![start], &mut found)?;
        let mut any: Option<Vec<Arc<Term>>> = None;
        for (way, stop) in found.ended {
            if stop != Stop::Ended {
                return Err(SystemError::Assuming { span: thread.span(0) });
            }
            let all = |terms: &[Arc<Term>]| terms.iter().fold(Term::constant(1), |all, term| Term::and(&all, term));
            any = Some(match any {
                None => way.guard,
                Some(other) => vec![Term::binary(BinaryOperator::Or, &all(&other), &all(&way.guard))],
            });
        }
        Ok(any.unwrap_or_else(|| vec![Term::constant(0)]))
    }

    /// The ways on from a point.
    fn ways(&self, thread: &Thread<'_>, pc: usize) -> Result<Found, SystemError> {
        let mut found = Found::default();
        let mut behind = Vec::new();
        let way = Way::at(pc);
        match &thread.code.instructions[pc].kind {
            InstructionKind::Atomic(_) => behind.push(Way { pc: pc + 1, atomic: true, ..way }),
            InstructionKind::Head(_) => behind.push(Way { pc: pc + 1, ..way }),
            kind => self.event(thread, kind, way, &mut behind, &mut found)?,
        }
        for way in &mut behind {
            way.waits = way.writes.is_empty();
        }
        self.run(thread, behind, &mut found)?;
        Ok(found)
    }

    /// Runs local instructions, and within `atomic` all, up to the next point.
    fn run(&self, thread: &Thread<'_>, mut work: Vec<Way>, found: &mut Found) -> Result<(), SystemError> {
        let first = work.first().map_or(0, |way| way.pc);
        // The last way comes first, and the ways of a branch are pushed in the reverse of the text's order.
        work.reverse();
        while let Some(mut way) = work.pop() {
            if work.len() + found.ended.len() > MAX_WAYS {
                return Err(SystemError::TooManyWays { limit: MAX_WAYS, span: thread.span(first) });
            }
            let pc = way.pc;
            let Some(instruction) = thread.code.instructions.get(pc) else {
                found.ended.push((way, Stop::Ended));
                continue;
            };
            match &instruction.kind {
                InstructionKind::Jump(target) => {
                    way.pc = *target;
                    work.push(way);
                }
                InstructionKind::Head(_) if thread.cut[pc] && !way.atomic => found.ended.push((way, Stop::At(pc))),
                InstructionKind::EndAtomic => {
                    way.atomic = false;
                    way.waits = way.writes.is_empty();
                    way.pc += 1;
                    work.push(way);
                }
                InstructionKind::EnterLoop(_)
                | InstructionKind::Head(_)
                | InstructionKind::Round(_)
                | InstructionKind::Enter { .. }
                | InstructionKind::Leave(None) => {
                    way.pc += 1;
                    work.push(way);
                }
                InstructionKind::Leave(Some(value)) => {
                    if let Some((mut way, _)) = self.operand(thread, way, value, found) {
                        way.pc += 1;
                        work.push(way);
                    }
                }
                InstructionKind::Assign { register, value } => {
                    if let Some((mut way, value)) = self.operand(thread, way, value, found) {
                        way.registers.insert(register.0, value);
                        way.pc += 1;
                        work.push(way);
                    }
                }
                InstructionKind::Branch { condition, otherwise } => {
                    let Some((way, condition)) = self.operand(thread, way, condition, found) else { continue };
                    let is_known = Term::truth(&condition).known().is_some();
                    for (held, condition, pc) in
                        [(false, Term::not(&condition), *otherwise), (true, condition.clone(), pc + 1)]
                    {
                        if let Some(mut way) = way.clone().where_holds(&condition) {
                            if !is_known {
                                way.branches.push(Taken { span: instruction.span, held });
                            }
                            way.pc = pc;
                            work.push(way);
                        }
                    }
                }
                InstructionKind::Assert(condition) => {
                    let Some((way, condition)) = self.operand(thread, way, condition, found) else { continue };
                    let fails = way.clone().where_holds(&Term::not(&condition));
                    let stop = Stop::Error(Fault::AssertionViolated, pc);
                    let holds = way.where_holds(&condition).map(|way| Way { pc: pc + 1, ..way });
                    work.extend(holds);
                    found.ended.extend(fails.map(|way| (way, stop)));
                }
                InstructionKind::Assume(condition) => {
                    let Some((way, condition)) = self.operand(thread, way, condition, found) else { continue };
                    if let Some(way) = way.clone().where_holds(&Term::not(&condition)) {
                        match way.atomic || way.waits {
                            true => found.may_block = true,
                            false => found.ended.push((way, Stop::Stuck(pc))),
                        }
                    }
                    work.extend(way.where_holds(&condition).map(|way| Way { pc: pc + 1, ..way }));
                }
                kind if way.atomic => {
                    let mut behind = Vec::new();
                    self.event(thread, kind, way, &mut behind, found)?;
                    work.extend(behind.into_iter().rev());
                }
                _ => found.ended.push((way, Stop::At(pc))),
            }
        }
        Ok(())
    }

    /// Performs the visible instruction at which a way is.
    fn event(
        &self,
        thread: &Thread<'_>,
        kind: &InstructionKind,
        way: Way,
        behind: &mut Vec<Way>,
        found: &mut Found,
    ) -> Result<(), SystemError> {
        let pc = way.pc;
        let done = |way: Way| Way { pc: pc + 1, ..way };
        match kind {
            InstructionKind::Read { register, target, .. } => {
                let Some((mut way, places)) = self.places(thread, way, target, found) else { return Ok(()) };
                let value = read(&mut way, &places);
                way.registers.insert(register.0, value);
                behind.push(done(way));
            }
            InstructionKind::Write { target, value, .. } => {
                let Some((way, places)) = self.places(thread, way, target, found) else { return Ok(()) };
                let Some((way, value)) = self.operand(thread, way, value, found) else { return Ok(()) };
                let Some(mut way) = self.in_range(way, &places, &value, found) else { return Ok(()) };
                write(&mut way, &places, &value);
                behind.push(done(way));
            }
            InstructionKind::Update { register, target, operator, operand, integer, .. } => {
                let Some((way, places)) = self.places(thread, way, target, found) else { return Ok(()) };
                let Some((mut way, operand)) = self.operand(thread, way, operand, found) else { return Ok(()) };
                let value = read(&mut way, &places);
                let updated = updated(*operator, *integer, &value, &operand);
                let Some(mut way) = self.in_range(way, &places, &updated, found) else { return Ok(()) };
                write(&mut way, &places, &updated);
                way.registers.insert(register.0, value);
                behind.push(done(way));
            }
            InstructionKind::CompareAndSwap { register, target, expected, desired, result, .. } => {
                let Some((way, places)) = self.places(thread, way, target, found) else { return Ok(()) };
                let Some((way, expected)) = self.operand(thread, way, expected, found) else { return Ok(()) };
                let Some((mut way, desired)) = self.operand(thread, way, desired, found) else { return Ok(()) };
                let value = read(&mut way, &places);
                let success = Term::equal(&value, &expected);
                let written = Term::choose(&success, &desired, &value);
                let Some(mut way) = self.in_range(way, &places, &written, found) else { return Ok(()) };
                write(&mut way, &places, &written);
                match result {
                    CasResult::ValueRead => {
                        way.registers.insert(register.0, value);
                    }
                    CasResult::Success(written_back) => {
                        let old = self.register(thread, &way, *written_back);
                        way.registers.insert(written_back.0, Term::choose(&success, &old, &value));
                        way.registers.insert(register.0, success);
                    }
                }
                behind.push(done(way));
            }
            InstructionKind::Input { register, input, .. } => {
                let mut way = way;
                let at = way.inputs.len() as u32;
                way.inputs.push(Input::clone(input));
                way.registers.insert(register.0, Arc::new(Term::Input(at)));
                behind.push(done(way));
            }
            InstructionKind::Lock(target) => {
                let Some((way, places)) = self.places(thread, way, target, found) else { return Ok(()) };
                for (condition, mutex) in self.few(thread, pc, "mutex", &places)? {
                    let Some(mut way) = way.clone().where_holds(condition) else { continue };
                    let free = Term::equal(&way.read(mutex), &Term::constant(0));
                    found.may_block = true;
                    if let Some(mut way) = way.where_holds(&free) {
                        way.write(mutex, Term::constant(holder(thread)));
                        behind.push(done(way));
                    }
                }
            }
            InstructionKind::Unlock(target)
                if named(target)
                    .is_some_and(|mutex| thread.held[pc].as_ref().is_some_and(|held| held.contains(&mutex))) =>
            {
                let Some((mut way, places)) = self.places(thread, way, target, found) else { return Ok(()) };
                write(&mut way, &places, &Term::constant(0));
                behind.push(done(way));
            }
            InstructionKind::Unlock(target) => {
                let Some((way, places)) = self.places(thread, way, target, found) else { return Ok(()) };
                for (condition, mutex) in self.few(thread, pc, "mutex", &places)? {
                    let Some(mut way) = way.clone().where_holds(condition) else { continue };
                    let held = Term::equal(&way.read(mutex), &Term::constant(holder(thread)));
                    if let Some(way) = way.clone().where_holds(&Term::not(&held)) {
                        let (object, _) = self.code.object(Location(mutex.0));
                        found.ended.push((way, Stop::Error(Fault::NotHeld(object), pc)));
                    }
                    if let Some(mut way) = way.where_holds(&held) {
                        way.write(mutex, Term::constant(0));
                        behind.push(done(way));
                    }
                }
            }
            InstructionKind::Send { target, value } => {
                let Some((way, places)) = self.places(thread, way, target, found) else { return Ok(()) };
                let Some((way, value)) = self.operand(thread, way, value, found) else { return Ok(()) };
                for (condition, channel) in self.few(thread, pc, "channel", &places)? {
                    let full = self.full[&Location(channel.0)];
                    let Some(mut way) = way.clone().where_holds(condition) else { continue };
                    let empty = Term::equal(&way.read(full), &Term::constant(0));
                    found.may_block = true;
                    if let Some(mut way) = way.where_holds(&empty) {
                        way.write(full, Term::constant(1));
                        way.write(channel, value.clone());
                        behind.push(done(way));
                    }
                }
            }
            InstructionKind::Receive { register, target } => {
                let Some((way, places)) = self.places(thread, way, target, found) else { return Ok(()) };
                for (condition, channel) in self.few(thread, pc, "channel", &places)? {
                    let full = self.full[&Location(channel.0)];
                    let Some(mut way) = way.clone().where_holds(condition) else { continue };
                    let is_full = Term::truth(&way.read(full));
                    found.may_block = true;
                    if let Some(mut way) = way.where_holds(&is_full) {
                        let value = way.read(channel);
                        way.registers.insert(register.0, value);
                        way.write(full, Term::constant(0));
                        way.write(channel, Term::constant(0));
                        behind.push(done(way));
                    }
                }
            }
            InstructionKind::End(target) => {
                let Some((mut way, places)) = self.places(thread, way, target, found) else { return Ok(()) };
                write(&mut way, &places, &Term::constant(1));
                behind.push(done(way));
            }
            InstructionKind::Join(target) => {
                let Some((mut way, places)) = self.places(thread, way, target, found) else { return Ok(()) };
                let ended = read(&mut way, &places);
                found.may_block = true;
                behind.extend(way.where_holds(&ended).map(done));
            }
            // Others are no events, or for handlers, which have no system.
            _ => behind.push(done(way)),
        }
        Ok(())
    }

    fn few<'p>(
        &self,
        thread: &Thread<'_>,
        pc: usize,
        what: &'static str,
        places: &'p Places,
    ) -> Result<impl Iterator<Item = (&'p Arc<Term>, Variable)>, SystemError> {
        if places.len() > MAX_ELEMENTS {
            return Err(SystemError::TooManyElements { what, limit: MAX_ELEMENTS, span: thread.span(pc) });
        }
        Ok(places.iter().map(|(condition, variable)| (condition, *variable)))
    }

    /// The way on where a value may be written there. Where it is outside a declared range, the way ends.
    fn in_range(&self, mut way: Way, places: &Places, value: &Arc<Term>, found: &mut Found) -> Option<Way> {
        for (condition, variable) in places {
            let Some((first, last)) = self.ranges.get(variable) else { continue };
            let below = Term::binary(BinaryOperator::Less, value, &Term::constant(*first));
            let above = Term::binary(BinaryOperator::Greater, value, &Term::constant(*last));
            let outside = Term::and(condition, &Term::binary(BinaryOperator::Or, &below, &above));
            let (object, _) = self.code.object(Location(variable.0));
            let stop = Stop::Error(Fault::OutOfRange(object), way.pc);
            found.ended.extend(way.clone().where_holds(&outside).map(|way| (way, stop)));
            way = way.where_holds(&Term::not(&outside))?;
        }
        Some(way)
    }

    fn register(&self, thread: &Thread<'_>, way: &Way, register: RegisterId) -> Arc<Term> {
        way.registers.get(&register.0).cloned().unwrap_or_else(|| {
            let slot = self.slots.get(thread.index).and_then(|slots| slots.get(&register.0));
            // Without a variable, its value does not matter.
            slot.map_or_else(|| Term::constant(0), |variable| Arc::new(Term::Variable(*variable)))
        })
    }

    /// The value of an operand, and the way on where it has one. Where it has none, the way ends.
    fn operand(
        &self,
        thread: &Thread<'_>,
        mut way: Way,
        operand: &Operand,
        found: &mut Found,
    ) -> Option<(Way, Arc<Term>)> {
        let mut failures = Vec::new();
        let value = self.value(thread, &way, operand, None, &mut failures);
        for (condition, error) in failures {
            if let Some(failing) = way.clone().where_holds(&condition) {
                found.ended.push((failing, Stop::Error(Fault::Evaluation(error), way.pc)));
            }
            way = way.where_holds(&Term::not(&condition))?;
        }
        Some((way, value))
    }

    /// The value of an operand, and what must not hold for it to have one, in the order in which it is computed. `context` is what holds
    /// where it is computed at all.
    fn value(
        &self,
        thread: &Thread<'_>,
        way: &Way,
        operand: &Operand,
        context: Option<&Arc<Term>>,
        failures: &mut Vec<(Arc<Term>, EvaluationError)>,
    ) -> Arc<Term> {
        match operand {
            Expression::Constant(value) => Term::constant(*value),
            Expression::Register(register) => self.register(thread, way, *register),
            // Compiling has made it an instruction of its own.
            Expression::Access(_) => Term::constant(0),
            Expression::Unary(operator, operand) => {
                Term::unary(*operator, &self.value(thread, way, operand, context, failures))
            }
            Expression::Binary(operator, left, right) => {
                let left = self.value(thread, way, left, context, failures);
                let decides = match operator {
                    BinaryOperator::And => Some(Term::truth(&left)),
                    BinaryOperator::Or => Some(Term::not(&left)),
                    _ => None,
                };
                let inner = decides.map(|decides| match context {
                    Some(context) => Term::and(context, &decides),
                    None => decides,
                });
                let right = self.value(thread, way, right, inner.as_ref().or(context), failures);
                let defined = Term::defined(*operator, &left, &right);
                if defined.known() != Some(1) {
                    let fails = Term::not(&defined);
                    let fails = context.map_or(fails.clone(), |context| Term::and(context, &fails));
                    failures.extend(sorts(*operator, &left, &right, &fails));
                }
                Term::binary(*operator, &left, &right)
            }
        }
    }

    /// What an access is to, and the way on where it is to something. Where it is to nothing, the way ends.
    fn places(&self, thread: &Thread<'_>, way: Way, target: &Target, found: &mut Found) -> Option<(Way, Places)> {
        let pc = way.pc;
        match target {
            Target::Element(object, None) => self.elements(way, *object, &Term::constant(0), pc, found),
            Target::Element(object, Some(index)) => {
                let (way, index) = self.operand(thread, way, index, found)?;
                self.elements(way, *object, &index, pc, found)
            }
            Target::Pointee(address) => {
                let (way, address) = self.operand(thread, way, address, found)?;
                self.pointees(way, &address, pc, found)
            }
        }
    }

    fn elements(
        &self,
        way: Way,
        object: ObjectId,
        index: &Arc<Term>,
        pc: usize,
        found: &mut Found,
    ) -> Option<(Way, Places)> {
        let stop = Stop::Error(Fault::OutOfBounds(object), pc);
        if let Some(index) = index.known() {
            let Some(location) = self.code.location(object, index) else {
                found.ended.push((way, stop));
                return None;
            };
            return Some((way, vec![(Term::constant(1), Variable(location.0))]));
        }
        let elements = (0..).map_while(|offset| Some((offset, self.code.location(object, offset)?)));
        let places: Places = elements
            .map(|(offset, location)| (Term::equal(index, &Term::constant(offset)), Variable(location.0)))
            .collect();
        let last = Term::constant(places.len() as Value - 1);
        let inside = Term::and(
            &Term::binary(BinaryOperator::GreaterOrEqual, index, &Term::constant(0)),
            &Term::binary(BinaryOperator::LessOrEqual, index, &last),
        );
        found.ended.extend(way.clone().where_holds(&Term::not(&inside)).map(|way| (way, stop)));
        Some((way.where_holds(&inside)?, places))
    }

    fn pointees(&self, way: Way, address: &Arc<Term>, pc: usize, found: &mut Found) -> Option<(Way, Places)> {
        let is_memory = |object: ObjectId| self.code.kinds.get(usize::from(object.0)) == Some(&ObjectKind::Memory);
        if let Some(value) = address.known() {
            let known = self.code.address(value);
            let location = known
                .filter(|address| is_memory(address.object))
                .and_then(|address| self.code.location(address.object, address.offset.into()));
            return match (known, location) {
                (_, Some(location)) => Some((way, vec![(Term::constant(1), Variable(location.0))])),
                (None, None) => {
                    found.ended.push((way, Stop::Error(Fault::NotAnAddress, pc)));
                    None
                }
                (Some(_), None) => {
                    found.ended.push((way, Stop::Error(Fault::NotMemory, pc)));
                    None
                }
            };
        }
        let mut places = Places::new();
        for location in 0..self.code.cells() as u32 {
            let (object, offset) = self.code.object(Location(location));
            if is_memory(object) {
                let to = Address { object, offset: offset as i32 }.value();
                places.push((Term::equal(address, &Term::constant(to)), Variable(location)));
            }
        }
        let any = places.iter().fold(Term::constant(0), |any, (one, _)| Term::binary(BinaryOperator::Or, &any, one));
        if let Some(way) = way.clone().where_holds(&Term::not(&any)) {
            // An address begins with a mark, and names an object that there is.
            let objects = self.code.kinds.len() as Value;
            let upper = Term::binary(BinaryOperator::ShiftRight, address, &Term::constant(32));
            let first = Term::constant(Address { object: ObjectId(0), offset: 0 }.value() >> 32);
            let behind = Term::constant((Address { object: ObjectId(0), offset: 0 }.value() >> 32) + objects);
            let is_address = Term::and(
                &Term::binary(BinaryOperator::GreaterOrEqual, &upper, &first),
                &Term::binary(BinaryOperator::Less, &upper, &behind),
            );
            let no_address = way.clone().where_holds(&Term::not(&is_address));
            found.ended.extend(no_address.map(|way| (way, Stop::Error(Fault::NotAnAddress, pc))));
            found.ended.extend(way.where_holds(&is_address).map(|way| (way, Stop::Error(Fault::NotMemory, pc))));
        }
        Some((way.where_holds(&any)?, places))
    }
}

/// What a mutex holds that a thread has taken.
fn holder(thread: &Thread<'_>) -> Value {
    thread.index as Value + 1
}

fn read(way: &mut Way, places: &Places) -> Arc<Term> {
    way.access(places, false);
    let mut values = places.iter().rev().map(|(condition, variable)| (condition, *variable));
    let Some((_, last)) = values.next() else { return Term::constant(0) };
    let mut value = way.value(last);
    for (condition, variable) in values {
        value = Term::choose(condition, &way.value(variable), &value);
    }
    value
}

fn write(way: &mut Way, places: &Places, value: &Arc<Term>) {
    way.access(places, true);
    for (condition, variable) in places {
        let written = match condition.known() {
            Some(_) => value.clone(),
            None => Term::choose(condition, value, &way.value(*variable)),
        };
        way.memory.insert(*variable, written);
    }
}

/// What a read-modify-write writes.
fn updated(operator: UpdateOperator, integer: Integer, read: &Arc<Term>, operand: &Arc<Term>) -> Arc<Term> {
    let by = |operator| Term::binary(operator, read, operand);
    let less = || by(BinaryOperator::Less.in_type(integer));
    let value = match operator {
        UpdateOperator::Add => by(BinaryOperator::Add),
        UpdateOperator::Subtract => by(BinaryOperator::Subtract),
        UpdateOperator::And => by(BinaryOperator::BitAnd),
        UpdateOperator::Or => by(BinaryOperator::BitOr),
        UpdateOperator::Xor => by(BinaryOperator::BitXor),
        UpdateOperator::Exchange => operand.clone(),
        UpdateOperator::Max => Term::choose(&less(), operand, read),
        UpdateOperator::Min => Term::choose(&less(), read, operand),
    };
    match integer {
        Integer::Int64 | Integer::UInt64 | Integer::Address => value,
        _ => Term::unary(UnaryOperator::Convert(integer), &value),
    }
}

/// The ways in which an operation has no value, each with its condition.
fn sorts(
    operator: BinaryOperator,
    left: &Arc<Term>,
    right: &Arc<Term>,
    fails: &Arc<Term>,
) -> Vec<(Arc<Term>, EvaluationError)> {
    let _ = left;
    match error_of(operator) {
        [one] => vec![(fails.clone(), *one)],
        [first, second] => {
            let is_first = match (first, operator) {
                (EvaluationError::ShiftOutOfRange, BinaryOperator::Typed(_, integer)) => {
                    let bits = Term::constant(Value::from(integer.bits()));
                    Term::binary(
                        BinaryOperator::Or,
                        &Term::binary(BinaryOperator::Less, right, &Term::constant(0)),
                        &Term::binary(BinaryOperator::GreaterOrEqual, right, &bits),
                    )
                }
                _ => Term::equal(right, &Term::constant(0)),
            };
            vec![(Term::and(fails, &is_first), *first), (Term::and(fails, &Term::not(&is_first)), *second)]
        }
        _ => Vec::new(),
    }
}
