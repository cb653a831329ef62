//! Spin loops: what a round of a loop has to leave as it was for the loop to be waiting.
//!
//! A **spin round** is a round that comes back to the loop's head having changed nothing, with every register that the
//! head still needs as it was. It may read, fail compare-and-swaps, write again what it has just read, pass fences and compute. Behind it the thread is
//! where it was before, so the next round differs only in what others have written meanwhile. Instead of going round
//! again, the thread blocks for good there: the loop is explored as `assume`.
//!
//! Nothing is lost by that. Take an execution in which a thread makes some spin rounds and goes on. Without the events of
//! these rounds it is an execution of the same program: the thread's state at the head is the same, nobody reads from
//! the rounds, and the round that leaves the loop reads what it read. It is consistent, since in every model here events
//! that write nothing only add constraints (on a graph's po, rf and fences, all relations that have to be acyclic are
//! monotone, and so is what SC fences ask for). And it ends in the same state. So programs have the same final states
//! and the same errors as with loops unrolled without bound, and only executions in which a thread spins for ever, or
//! some rounds too many, are not told apart. This is `assume`'s view of a loop, as in GenMC (Kokologiannakis, Vafeiadis,
//! "GenMC: A Model Checker for Weak Memory Models", CAV 2021), but decided for each round when it is over, not for each
//! loop beforehand: a loop that writes on some of its ways spins on the others.
//!
//! A read-modify-write that writes the value that it reads changes nothing either: an exchange of a lock that is taken, a
//! compare-and-swap that rewrites what it expects, `fetch_add` of 0, `fetch_or` of bits that are set. Let u be one in a spin round
//! and w its source. Without the round, whoever reads from u reads from w, the same value. That is consistent in every model
//! here:
//!
//! - u came right behind w in co, so a reader r of u is in front of the same writes in fr, and if r is a read-modify-write, it comes
//!   right behind w now. Where r read from u, w came before r in co;rf, so no path of eco is new.
//! - Whatever r synchronised with through u, it did before or does no more: u extends the release sequences of w, so what w
//!   released is still acquired by r; what u released itself, with all that came before u, is not. That is less hb. So is what
//!   u acquired, since nothing of its round is left and the thread's next round acquires for itself what it reads.
//! - u ordered others as a fence (TSO, PSO), or in SC order (RC11), only by edges through u. And a source in the reader's own thread,
//!   where it was in another's, orders less.
//!
//! So nothing is lost by leaving u out: the execution without it has the same final state, the same values, and at least the
//! same races, since it has less hb. And what is found without it is an execution of the program, in which the thread
//! waited less. Where the round ends right behind u, u is a plain read ([`super::Update::FetchUnless`]): as a write, it would be
//! one more that others could read from, to no avail.
//!
//! Registers that a round leaves different but that nobody reads again don't matter: those that are not live at the head. A register is
//! live if an access, an assertion or a condition needs it, or if it is seen at the end: if the final condition, `locations` or `filter`
//! name it, or there is neither and all registers are seen. What only feeds itself is not live: a counter of rounds, a delay that
//! doubles and the loop that counts it down. But where to compute it may be an error, it is, since that error would come in a later
//! round. A counter (`n := n + 1`) may overflow, too; only after more rounds than there are bounds for, so this one is not looked for.
//! What grows only as long as it is below a bound (`if (d < 1024) d *= 2`) does not overflow.
//!
//! What is live at a head depends on how the head is come to. A loop with a `break` is one with a flag: where it is set, the loop ends, and
//! whoever comes behind it may need what the round has computed; where it is not, the next round computes that anew. So instructions are
//! looked at once for each value of the flags that the thread may come there with ([`Ways`]), and a head compares what is live in those
//! cases in which the thread comes back with the same flags. The flags themselves are compared if they are live.
//!
//! Three things are no spin rounds although they might be. A write is an effect, even of the value that was there. A round that ends
//! a call of a concurrent object's method is part of the object's history, even if it found nothing. And a read of something
//! that the program accesses non-atomically elsewhere counts as an effect, since that very read may be one side of a data
//! race, whose other side may come only after the loop.
//!
//! Which registers matter is known beforehand; whether anything was changed only when a round is over. Without co (WRA) to write
//! again what was read is a change: whoever makes threads run under a model takes the code of
//! [`Model::prepare`](crate::model::Model::prepare). [`super::Limits::unroll_spins`] turns all of it off; links from before
//! there was a choice have it off. `tests/tests/suite/spins.rs` compares with unrolled loops on random programs.

use super::interpreter::evaluate;
use super::{
    Arithmetic, BinaryOperator, CasResult, Code, Expression, InstructionKind, Operand, RegisterId, Span, Target,
    ThreadCode, UpdateOperator, Value,
};
use crate::sort;
use rustc_hash::FxHashMap;

/// How many registers are compared at a loop's head at most; a loop with more is unrolled.
const MAX_COMPARED: usize = 64;
/// How much room what is known of live registers may take, in words of 64 registers at an instruction. Beyond, all count as live.
const MAX_LIVENESS: usize = 1 << 22;

/// For how many loops within such that only compute it is found out which registers are live; in others, all count as live.
const MAX_LOCAL: usize = 64;

/// How many flags of a thread are followed, with how many values each, and in how many instructions; beyond, no flag is.
const MAX_FLAGS: usize = 8;
const MAX_VALUES: usize = 4;
const MAX_FLAGGED: usize = 1 << 10;

/// What is known of a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loop {
    /// How many loops it is in.
    pub depth: usize,
    /// Its head ([`InstructionKind::Head`]).
    pub head: usize,
    /// Behind its last instruction.
    pub end: usize,
    /// What a spin round has to leave as it was: the registers that are live at the head and assigned in the loop.
    /// `None` if they are too many for the loop to be looked at.
    pub compared: Option<Box<[RegisterId]>>,
}

impl ThreadCode {
    /// Fills in which registers loops compare; `is_seen` tells those that are observable at the end of the thread.
    pub(super) fn find_compared(&mut self, is_seen: impl Fn(RegisterId) -> bool) {
        if self.loops.is_empty() {
            return;
        }
        let words = self.registers.len().div_ceil(64).max(1);
        let ways = Ways::new(self);
        let known = words.saturating_mul(ways.places.len()) <= MAX_LIVENESS;
        let locals = if known { Local::all(self, words) } else { Vec::new() };
        let outside = known.then(|| Liveness::new(self, words, &ways, &locals, &is_seen));
        let mut left = MAX_LOCAL;
        for at in 0..self.loops.len() {
            let (head, end) = (self.loops[at].head, self.loops[at].end);
            // Whether a loop comes to its own end is what its rounds are about.
            let around = |local: &&Local| !(local.first..local.end).contains(&head);
            let inside = (known && locals.iter().any(|local| !around(&local)) && left > 0).then(|| {
                left -= 1;
                let others: Vec<_> = locals.iter().filter(around).cloned().collect();
                Liveness::new(self, words, &ways, &others, &is_seen)
            });
            let is_inside = locals.iter().any(|local| !around(&local));
            let live = if is_inside { &inside } else { &outside };
            let mut compared: Vec<_> =
                self.instructions[head..end].iter().flat_map(|i| i.kind.assigns()).flatten().collect();
            sort::ascending(&mut compared);
            compared.dedup();
            if let Some(live) = live {
                let heads = ways.of(head);
                let is_live = |register| heads.clone().any(|place| live.is_live(place, register));
                let flags: Vec<_> = ways.flags.iter().map(|flag| is_live(*flag)).collect();
                let repeated = ways.repeated(head, end, &flags);
                compared.retain(|register| {
                    let is_flag = ways.flags.contains(register);
                    is_flag && is_live(*register) || repeated.iter().any(|place| live.is_live(*place, *register))
                });
            }
            self.loops[at].compared = (compared.len() <= MAX_COMPARED).then(|| compared.into());
        }
    }

    /// Whether some way round a loop looks like a spin round, as far as that can be told beforehand.
    fn may_spin(&self, l: &Loop, races: impl Fn(&InstructionKind) -> bool) -> bool {
        let Some(compared) = &l.compared else { return false };
        let is_compared = |register: RegisterId| compared.contains(&register);
        // A register that is computed from what is compared counts rounds, or the like.
        let stops = |kind: &InstructionKind| match kind {
            InstructionKind::Assign { register, value } => {
                let mut depends = false;
                value.each_register(&mut |r| depends |= is_compared(r));
                is_compared(*register) && depends
            }
            InstructionKind::Read { .. } | InstructionKind::CompareAndSwap { .. } => races(kind),
            // Others write again what they read if that was their operand.
            InstructionKind::Update { operator, operand, .. } => {
                let adds = matches!(operator, UpdateOperator::Add | UpdateOperator::Subtract | UpdateOperator::Xor);
                adds && matches!(operand, Operand::Constant(value) if *value != 0) || races(kind)
            }
            InstructionKind::Fence(_)
            | InstructionKind::Jump(_)
            | InstructionKind::Branch { .. }
            | InstructionKind::EnterLoop(_)
            | InstructionKind::Head(_)
            | InstructionKind::Round(_)
            | InstructionKind::Assert(_)
            | InstructionKind::Assume(_)
            | InstructionKind::Atomic(_)
            | InstructionKind::EndAtomic
            | InstructionKind::Enter { .. } => false,
            InstructionKind::Write { .. }
            | InstructionKind::Input { .. }
            | InstructionKind::Send { .. }
            | InstructionKind::Receive { .. }
            | InstructionKind::Lock(_)
            | InstructionKind::Unlock(_)
            | InstructionKind::End(_)
            | InstructionKind::Join(_)
            | InstructionKind::Get
            | InstructionKind::Leave(_)
            | InstructionKind::Post { .. } => true,
        };
        let mut seen = vec![false; l.end - l.head];
        let mut work = vec![l.head + 1];
        while let Some(at) = work.pop() {
            if at == l.head {
                return true;
            }
            if !(l.head..l.end).contains(&at) || std::mem::replace(&mut seen[at - l.head], true) {
                continue;
            }
            let kind = &self.instructions[at].kind;
            match *kind {
                _ if stops(kind) => {}
                InstructionKind::Jump(target) => work.push(target),
                InstructionKind::Branch { otherwise, .. } => work.extend([at + 1, otherwise]),
                _ => work.push(at + 1),
            }
        }
        false
    }
}

/// The ways through a thread: places, each an instruction with the values that flags have there, in the order of the instructions. A flag
/// is a register that is only ever given constants, and that a branch depends on. Where none is followed, each instruction is one place.
struct Ways {
    flags: Vec<RegisterId>,
    /// The instruction, and the flags' values; the thread's end is one, too.
    places: Vec<(usize, Box<[Value]>)>,
    /// Up to two places that come next, but for handlers, which come to any message from a get.
    next: Vec<[Option<usize>; 2]>,
}

impl Ways {
    /// Linear in the instructions, but for their number of different flags.
    fn new(code: &ThreadCode) -> Self {
        let flags = code.flags();
        Self::following(code, flags).unwrap_or_else(|| {
            let end = code.instructions.len();
            let next = (0..end).map(|at| match &code.instructions[at].kind {
                InstructionKind::Jump(target) => [Some(*target), None],
                InstructionKind::Branch { otherwise, .. } => [Some(at + 1), Some(*otherwise)],
                _ => [Some(at + 1), None],
            });
            let next = next.chain(std::iter::once([None, None])).collect();
            Self { flags: Vec::new(), places: (0..=end).map(|at| (at, Box::default())).collect(), next }
        })
    }

    /// `None` if there are no flags to follow, or they have too many values.
    fn following(code: &ThreadCode, flags: Vec<RegisterId>) -> Option<Self> {
        let end = code.instructions.len();
        if flags.is_empty() || flags.len() > MAX_FLAGS || end > MAX_FLAGGED {
            return None;
        }
        let mut registers = code.registers.clone();
        let start = (0, flags.iter().map(|flag| registers[usize::from(flag.0)]).collect::<Box<[Value]>>());
        let mut known = FxHashMap::from_iter([(start.clone(), 0)]);
        let (mut places, mut next) = (vec![start], Vec::new());
        while let Some((at, values)) = places.get(next.len()).cloned() {
            let mut values_behind = values.clone();
            let targets = match code.instructions.get(at).map(|instruction| &instruction.kind) {
                None => [None, None],
                Some(InstructionKind::Jump(target)) => [Some(*target), None],
                Some(InstructionKind::Branch { condition, otherwise }) => {
                    let mut is_known = true;
                    condition.each_register(&mut |register| is_known &= flags.contains(&register));
                    flags.iter().zip(&values).for_each(|(flag, value)| registers[usize::from(flag.0)] = *value);
                    match is_known.then(|| evaluate(condition, &registers)) {
                        Some(Ok(0)) => [Some(*otherwise), None],
                        Some(Ok(_)) => [Some(at + 1), None],
                        _ => [Some(at + 1), Some(*otherwise)],
                    }
                }
                Some(InstructionKind::Assign { register, value: Expression::Constant(value) }) => {
                    if let Some(flag) = flags.iter().position(|flag| flag == register) {
                        values_behind[flag] = *value;
                    }
                    [Some(at + 1), None]
                }
                Some(_) => [Some(at + 1), None],
            };
            next.push(targets.map(|target| {
                let place = (target?, values_behind.clone());
                Some(*known.entry(place).or_insert_with_key(|place| {
                    places.push(place.clone());
                    places.len() - 1
                }))
            }));
            if places.len() > MAX_VALUES * MAX_FLAGGED {
                return None;
            }
        }
        // In the order of the instructions, in which what is live is found soonest.
        let mut order: Vec<usize> = (0..places.len()).collect();
        sort::by_key(&mut order, |place| places[*place].0);
        let mut number = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, old)| number[*old] = new);
        let next = order.iter().map(|old| next[*old].map(|next| next.map(|next| number[next]))).collect();
        let places = order.iter().map(|old| places[*old].clone()).collect();
        Some(Self { flags, places, next })
    }

    /// The places of an instruction.
    fn of(&self, at: usize) -> std::ops::Range<usize> {
        let first = self.places.partition_point(|(other, _)| *other < at);
        first..first + self.places[first..].partition_point(|(other, _)| *other == at)
    }

    /// The places of a loop's head from which the thread may come back to it, and those that it then comes to, with the same values of
    /// some flags.
    fn repeated(&self, head: usize, end: usize, flags: &[bool]) -> Vec<usize> {
        let heads = self.of(head);
        if self.flags.is_empty() {
            return heads.collect();
        }
        let values =
            |place: usize| self.places[place].1.iter().zip(flags).filter(|(_, counts)| **counts).map(|(v, _)| *v);
        let mut all = Vec::new();
        for from in heads.clone() {
            let mut seen = vec![false; self.of(end).start - heads.start];
            let mut work: Vec<_> = self.next[from].into_iter().flatten().collect();
            while let Some(place) = work.pop() {
                let Some(seen) = place.checked_sub(heads.start).and_then(|place| seen.get_mut(place)) else { continue };
                if std::mem::replace(seen, true) {
                    continue;
                }
                if !heads.contains(&place) {
                    work.extend(self.next[place].into_iter().flatten());
                } else if values(from).eq(values(place)) {
                    all.extend([from, place]);
                }
            }
        }
        all
    }
}

impl ThreadCode {
    /// The registers that are only ever given constants, few different ones, and that some branch depends on alone.
    fn flags(&self) -> Vec<RegisterId> {
        if !self.messages.is_empty() {
            return Vec::new();
        }
        let mut given: Vec<Option<Vec<Value>>> = self.registers.iter().map(|initial| Some(vec![*initial])).collect();
        for kind in self.instructions.iter().map(|instruction| &instruction.kind) {
            if let InstructionKind::Assign { register, value: Expression::Constant(value) } = kind {
                if let Some(values) = &mut given[usize::from(register.0)]
                    && !values.contains(value)
                {
                    values.push(*value);
                }
            } else {
                kind.assigns().into_iter().flatten().for_each(|register| given[usize::from(register.0)] = None);
            }
        }
        let is_few = |register: RegisterId| {
            given[usize::from(register.0)].as_ref().is_some_and(|values| (2..=MAX_VALUES).contains(&values.len()))
        };
        let mut flags = Vec::new();
        for instruction in &self.instructions {
            if let InstructionKind::Branch { condition, .. } = &instruction.kind {
                let mut registers = Vec::new();
                condition.each_register(&mut |register| registers.push(register));
                if registers.iter().all(|register| is_few(*register)) {
                    flags.extend(registers);
                }
            }
        }
        sort::ascending(&mut flags);
        flags.dedup();
        flags
    }

    /// By instruction: whether to compute the value of an assignment may be an error, but for a counter that overflows, and for what
    /// grows only as long as it is below a bound.
    fn failing(&self) -> Vec<bool> {
        let kinds = || self.instructions.iter().map(|instruction| &instruction.kind).enumerate();
        let grows = |at| self.grows_below_a_bound(at);
        // Whether a register is never negative, and grows in no other way.
        let mut is_bounded: Vec<bool> = self.registers.iter().map(|initial| *initial >= 0).collect();
        for (at, kind) in kinds() {
            let is_fine = match kind {
                InstructionKind::Assign { value: Expression::Constant(value), .. } => *value >= 0,
                InstructionKind::Assign { register, .. } => grows(at) == Some(*register),
                _ => false,
            };
            kind.assigns().into_iter().flatten().for_each(|register| is_bounded[usize::from(register.0)] &= is_fine);
        }
        let may_fail = |(at, kind): (usize, &InstructionKind)| match kind {
            InstructionKind::Assign { register, value } => {
                may_fail_soon(*register, value) && !grows(at).is_some_and(|grown| is_bounded[usize::from(grown.0)])
            }
            _ => false,
        };
        kinds().map(may_fail).collect()
    }

    /// The register that an assignment makes greater by a constant, if it does so only where that is below another constant, and the
    /// result then fits.
    fn grows_below_a_bound(&self, at: usize) -> Option<RegisterId> {
        let InstructionKind::Assign { register, value } = &self.instructions.get(at)?.kind else { return None };
        // Nothing but this branch leads to the first instruction of its block.
        let InstructionKind::Branch { condition, .. } = &self.instructions.get(at.checked_sub(1)?)?.kind else {
            return None;
        };
        let sides = |expression: &Expression| match expression {
            Expression::Binary(operator, left, right) => match (&**left, &**right) {
                (Expression::Register(left), Expression::Constant(right)) if left == register => {
                    Some((*operator, *right))
                }
                _ => None,
            },
            _ => None,
        };
        let most = match sides(condition)? {
            (BinaryOperator::Less, bound) => bound.checked_sub(1)?,
            (BinaryOperator::LessOrEqual, bound) => bound,
            _ => return None,
        };
        let (BinaryOperator::Typed(operator, integer), by) = sides(value)? else { return None };
        let grows = matches!(operator, Arithmetic::Add | Arithmetic::Multiply | Arithmetic::ShiftLeft) && by >= 0;
        (grows && integer.apply(operator, most.max(0), by).is_ok()).then_some(*register)
    }
}

/// Which registers are live at each place of a thread, where only what somebody needs makes others live.
struct Liveness {
    /// Words for a place.
    words: usize,
    /// By place.
    live: Vec<u64>,
}

/// Instructions of which only registers come, and that come to an end: nobody can tell whether they were run but from these.
#[derive(Clone)]
struct Local {
    first: usize,
    end: usize,
    /// As words.
    assigned: Vec<u64>,
}

impl Liveness {
    /// Cubic at worst, in practice about linear: each pass over the places is one, and there are as many as loops are in each
    /// other.
    fn new(
        code: &ThreadCode,
        words: usize,
        ways: &Ways,
        locals: &[Local],
        is_seen: impl Fn(RegisterId) -> bool,
    ) -> Self {
        let (end, failing) = (code.instructions.len(), code.failing());
        let mut this = Self { words, live: vec![0; words * ways.places.len()] };
        for register in (0..code.registers.len()).filter(|&register| is_seen(RegisterId(register as u16))) {
            ways.of(end).for_each(|place| set(&mut this.live[words * place..], register));
        }
        let mut row = vec![0; words];
        loop {
            let mut changed = false;
            for (place, (at, _)) in ways.places.iter().enumerate().rev() {
                let (place, at) = (place, *at);
                let Some(kind) = code.instructions.get(at).map(|instruction| &instruction.kind) else { continue };
                row.fill(0);
                ways.next[place].into_iter().flatten().for_each(|next| this.add(next, &mut row));
                if let InstructionKind::Get = kind {
                    // A handler may also wait for ever. It has no flags, so instructions are places.
                    row.copy_from_slice(this.row(end));
                    code.messages.iter().for_each(|message| this.add(message.entry, &mut row));
                }
                let assigned = kind.assigns()[0];
                let is_needed = match kind {
                    InstructionKind::Assign { register, .. } => is_set(&row, usize::from(register.0)) || failing[at],
                    InstructionKind::Branch { condition, .. } => {
                        let is_read =
                            |local: &Local, place| local.assigned.iter().zip(this.row(place)).any(|(a, l)| a & l != 0);
                        let decides = |local: &Local| ways.of(local.end).any(|place| is_read(local, place));
                        let mut around = locals.iter().filter(|local| (local.first..local.end).contains(&at));
                        condition.may_fail() || around.all(decides)
                    }
                    _ => true,
                };
                if let Some(register) = assigned {
                    row[usize::from(register.0) / 64] &= !(1 << (register.0 % 64));
                }
                if is_needed {
                    kind.operands().for_each(|operand| operand.each_register(&mut |r| set(&mut row, usize::from(r.0))));
                }
                let before = &mut this.live[words * place..words * (place + 1)];
                changed |= *before != *row;
                before.copy_from_slice(&row);
            }
            if !changed {
                return this;
            }
        }
    }

    fn row(&self, place: usize) -> &[u64] {
        &self.live[self.words * place..self.words * (place + 1)]
    }

    fn add(&self, place: usize, row: &mut [u64]) {
        row.iter_mut().zip(self.row(place)).for_each(|(word, more)| *word |= more);
    }

    fn is_live(&self, place: usize, register: RegisterId) -> bool {
        is_set(self.row(place), usize::from(register.0))
    }
}

fn set(row: &mut [u64], register: usize) {
    row[register / 64] |= 1 << (register % 64);
}

fn is_set(row: &[u64], register: usize) -> bool {
    row[register / 64] >> (register % 64) & 1 == 1
}

/// Whether to compute a register may be an error, but for a counter that overflows.
fn may_fail_soon(register: RegisterId, value: &Operand) -> bool {
    match value {
        Expression::Binary(BinaryOperator::Typed(Arithmetic::Add | Arithmetic::Subtract, _), left, right) if matches!((&**left, &**right), (Expression::Register(counter), Expression::Constant(_)) if *counter == register) => {
            false
        }
        Expression::Unary(_, inner) => may_fail_soon(register, inner),
        _ => value.may_fail(),
    }
}

impl Local {
    /// The loops of a thread and the branches that are such.
    fn all(code: &ThreadCode, words: usize) -> Vec<Self> {
        let loops = code.loops.iter().map(|l| (l.head, l.end));
        let branches = code.instructions.iter().enumerate().filter_map(|(at, instruction)| {
            let InstructionKind::Branch { otherwise, .. } = instruction.kind else { return None };
            // With an `else`, the first part ends by jumping behind that.
            let jump = otherwise.checked_sub(1).map(|last| &code.instructions[last].kind);
            let end = match jump {
                Some(InstructionKind::Jump(target)) if *target > otherwise => *target,
                _ => otherwise,
            };
            (end > at).then_some((at, end))
        });
        loops.chain(branches).filter_map(|(first, end)| Self::of(code, words, first, end)).collect()
    }

    fn of(code: &ThreadCode, words: usize, first: usize, end: usize) -> Option<Self> {
        let mut assigned = vec![0; words];
        for instruction in code.instructions.get(first..end)? {
            match &instruction.kind {
                InstructionKind::Assign { register, .. } => set(&mut assigned, usize::from(register.0)),
                InstructionKind::Jump(target) | InstructionKind::Branch { otherwise: target, .. }
                    if (first..=end).contains(target) => {}
                InstructionKind::EnterLoop(_) | InstructionKind::Head(_) | InstructionKind::Round(_) => {}
                _ => return None,
            }
        }
        Some(Self { first, end, assigned })
    }
}

impl Code {
    /// The places of the loops that wait: those with a way round that looks like a spin round, in the order of the text.
    /// Whether a round is one is decided when it is over.
    pub fn spin_loops(&self) -> Vec<Span> {
        let races = |kind: &InstructionKind| match kind {
            InstructionKind::Read { target: Target::Element(object, _), .. }
            | InstructionKind::Update { target: Target::Element(object, _), .. }
            | InstructionKind::CompareAndSwap { target: Target::Element(object, _), .. } => {
                self.location(*object, 0).is_some_and(|location| self.may_race(location))
            }
            _ => false,
        };
        let mut spans: Vec<Span> = self
            .threads
            .iter()
            .flat_map(|thread| {
                let waiting = thread.loops.iter().filter(|l| thread.may_spin(l, races));
                waiting.map(|l| thread.instructions[l.head].span)
            })
            .collect();
        sort::by_key(&mut spans, |span| span.start);
        spans.dedup();
        spans
    }
}

impl InstructionKind {
    /// The operands that it computes.
    pub(super) fn operands(&self) -> impl Iterator<Item = &Operand> {
        let index = match self {
            Self::Read { target, .. }
            | Self::Write { target, .. }
            | Self::Update { target, .. }
            | Self::CompareAndSwap { target, .. }
            | Self::Send { target, .. }
            | Self::Receive { target, .. }
            | Self::Lock(target)
            | Self::Unlock(target)
            | Self::End(target)
            | Self::Join(target) => match target {
                Target::Element(_, index) => index.as_ref(),
                Target::Pointee(address) => Some(address),
            },
            _ => None,
        };
        let (first, second) = match self {
            Self::Write { value, .. }
            | Self::Assign { value, .. }
            | Self::Send { value, .. }
            | Self::Post { value, .. } => (Some(value), None),
            Self::Leave(value) => (value.as_ref(), None),
            Self::Update { operand, .. } => (Some(operand), None),
            Self::CompareAndSwap { expected, desired, .. } => (Some(expected), Some(desired)),
            Self::Branch { condition, .. } | Self::Assert(condition) | Self::Assume(condition) => {
                (Some(condition), None)
            }
            Self::Read { .. }
            | Self::Receive { .. }
            | Self::Fence(_)
            | Self::Input { .. }
            | Self::Atomic(_)
            | Self::EndAtomic
            | Self::Jump(_)
            | Self::EnterLoop(_)
            | Self::Head(_)
            | Self::Round(_)
            | Self::Lock(_)
            | Self::Unlock(_)
            | Self::End(_)
            | Self::Join(_)
            | Self::Enter { .. }
            | Self::Get => (None, None),
        };
        index.into_iter().chain(first).chain(second)
    }

    /// The register that it always assigns, and one that it may assign.
    pub(super) fn assigns(&self) -> [Option<RegisterId>; 2] {
        match self {
            Self::Read { register, .. }
            | Self::Receive { register, .. }
            | Self::Input { register, .. }
            | Self::Update { register, .. }
            | Self::Assign { register, .. } => [Some(*register), None],
            Self::CompareAndSwap { register, result, .. } => match result {
                CasResult::ValueRead => [Some(*register), None],
                CasResult::Success(written_back) => [Some(*register), Some(*written_back)],
            },
            _ => [None, None],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Action, Limits, ThreadState, Update};

    fn compile(text: &str) -> Code {
        Code::compile(&crate::syntax::parse(text).expect(text).program).expect(text)
    }

    /// The names of the registers that each loop of the first thread compares.
    fn compared(text: &str) -> Vec<String> {
        let program = crate::syntax::parse(text).expect(text).program;
        let code = Code::compile(&program).expect(text);
        let names = &program.threads[0].registers;
        let name = |register: &RegisterId| names.get(usize::from(register.0)).map_or("temporary", String::as_str);
        let all = code.threads[0].loops.iter().map(|l| {
            let compared = l.compared.as_ref().expect("there are few");
            let mut names: Vec<_> = compared.iter().map(name).collect();
            names.sort_unstable();
            names.join(" ")
        });
        all.collect()
    }

    #[test]
    fn registers_that_nobody_reads_again_are_not_compared() {
        for (text, expected) in [
            // All registers are seen where nothing is asked.
            ("b := 0; repeat { a := x; if a = 2 { b := 1 } } until a = 1", &["b"][..]),
            ("b := 0; repeat { a := x; if a = 2 { b := 1 } } until a = 1 || x := 1\nexists (x = 1)", &[""]),
            ("b := 0; repeat { a := x; if a = 2 { b := 1 } } until a = 1 || x := 1\nexists (P0:b = 1)", &["b"]),
            ("b := 0; repeat { a := x; if a = 2 { b := 1 } } until a = 1; y := b || x := 1\nexists (x = 1)", &["b"]),
            // A counter of rounds, unless it ends the loop, is an address or may be an error.
            ("n := 0; repeat { a := x; n := n + 1 } until a = 1 || x := 1\nexists (x = 1)", &[""]),
            ("n := 0; repeat { a := x; n := n + 1 } until a = 1 or n = 3 || x := 1\nexists (x = 1)", &["n"]),
            ("n := 0; repeat { a := x; n := n + 1 } until q[n] = 1 || x := 1\nexists (x = 1)", &["n"]),
            ("n := 9; repeat { a := x; n := 8 / n } until a = 1 || x := 1\nexists (x = 1)", &["n"]),
            ("n := 0; repeat { a := x; n := n + 1; assert n < 9 } until a = 1 || x := 1\nexists (x = 1)", &["n"]),
            // A delay that doubles; the loop that counts it down has to come to its end all the same.
            (
                "d := 1; repeat { a := x; i := 0; while i < d { i := i + 1 }; if d < 8 { d := d + d } } until a = 1 || x := 1\nexists (x = 1)",
                &["", "i"],
            ),
            (
                "d := 1; repeat { a := x; i := 0; while i < d { i := i + 1 }; d := d + d } until a = 1; y := d || x := 1\nexists (x = 1)",
                &["d", "i"],
            ),
        ] {
            assert_eq!(compared(&format!("shared x, y, q[4]\n{text}")), expected, "{text}");
        }
    }

    #[test]
    fn loops_that_end_by_a_flag_compare_what_the_next_round_needs() {
        for (text, expected) in [
            // Where the flag is set, the loop ends, and what the round computed is needed; else it is not.
            ("go := 1; while go = 1 { a := x; if a = 1 { b := y; if b = a { go := 0 } } }; y := b", &["go"][..]),
            ("go := 1; repeat { a := x; if a = 1 { go := 0 } else { b := a } } until go = 0; y := b", &["b go"]),
            // What the flag depends on is needed.
            ("go := 1; b := 0; while go = 1 { a := x; if b = 1 { go := 0 }; b := a }", &["b go"]),
            // A flag that is not a constant is none.
            ("go := 1; while go = 1 { a := x; if a = 1 { b := y; go := y } }; y := b", &["b go"]),
            // Two flags, a loop in a loop.
            (
                "go := 1; while go = 1 { on := 1; while on = 1 { a := x; if a = 1 { b := y; on := 0 } }; if b = 1 { go := 0 } }; y := b",
                &["go", "on"],
            ),
            // Flags that nobody asks again do not count.
            (
                "done := 0; repeat { a := x; if a = 2 { done := 1 } else { done := 0 }; if done = 1 { y := 1 } } until a = 1",
                &[""],
            ),
        ] {
            assert_eq!(compared(&format!("shared x, y\n{text} || x := 1\nexists (x = 1)")), expected, "{text}");
        }
    }

    #[test]
    fn what_grows_below_a_bound_is_no_error() {
        for (text, expected) in [
            ("if (d < 1024) d *= 2;", ""),
            ("if (d <= 1024) { d <<= 1; }", ""),
            ("d *= 2;", "d"),
            ("if (d < 2000000000) d *= 2;", "d"),
            ("if (d > 1024) d *= 2;", "d"),
            ("if (d < 1024) d *= 2; else d = -1;", "d"),
        ] {
            let text = format!(
                "C delay\n{{}}\nP0 (atomic_int* l) {{ int d = 1; while (atomic_exchange(l, 1)) {{ \
                 for (int k = 0; k < d; k++) {{}} {text} }} }}\nexists (l=1)"
            );
            assert_eq!(compared(&text)[0], expected, "{text}");
        }
    }

    /// What the first thread does next once it has read a value.
    fn behind(code: &Code, read: i64) -> (Action, Action) {
        let mut state = ThreadState::new(code, 0);
        let first = state.advance(code, 0, Limits::default());
        state.resume(code, 0, Some(read));
        (first, state.advance(code, 0, Limits::default()))
    }

    #[test]
    fn rounds_that_write_what_they_read_wait() {
        for (text, read) in [
            ("repeat { a := xchg(l, 1, acq) } until a = 0", 1),
            ("while xchg(l, 1) { }", 1),
            ("repeat { a := cas(l, 1, 1) } until a = 0", 1),
            ("repeat { a := fai(l, 0) } until a = 1", 5),
        ] {
            let code = compile(&format!("shared l\n{text}"));
            let (first, then) = behind(&code, read);
            assert_eq!(then, Action::Spin, "{text}");
            let Action::Update { update, .. } = first else { panic!("{text}: {first:?}") };
            let is_read = update.written(read).is_none();
            assert_eq!(is_read, text.contains("xchg"), "{text}: {update:?}");
            assert_ne!(behind(&code.where_rewriting_counts(), read).1, Action::Spin, "{text}");
        }
        for (text, read) in [
            ("repeat { a := xchg(l, 2) } until a = 0", 1),
            ("repeat { a := fai(l, 1) } until a = 0", 1),
            ("repeat { a := xchg(l, 1); x := 1 } until a = 0", 1),
        ] {
            let (_, then) = behind(&compile(&format!("shared l, x\n{text}")), read);
            assert_ne!(then, Action::Spin, "{text}");
        }
        // Behind an exchange that reads again, others may read what it wrote.
        let code = compile("shared l, x\nrepeat { a := xchg(l, 1); b := x } until a = 0 or b = 1");
        assert!(matches!(behind(&code, 1).0, Action::Update { update: Update::Fetch(..), .. }));
    }
}
