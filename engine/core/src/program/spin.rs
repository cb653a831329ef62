//! Spin loops: what a round of a loop has to leave as it was for the loop to be waiting.
//!
//! A **spin round** is a round that comes back to the loop's head having written nothing, with every register that the
//! head still needs as it was. It may read, fail compare-and-swaps, pass fences and compute. Behind it the thread is
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
//! Three things are no spin rounds although they might be. An unconditional read-modify-write writes, even the value that
//! was there. A round that ends a call of a concurrent object's method is part of the object's history, even if it found nothing. And a read of something that the program accesses non-atomically elsewhere counts as an effect, since
//! that very read may be one side of a data race, whose other side may come only after the loop.

use super::{CasResult, Code, InstructionKind, Operand, RegisterId, Span, Target, ThreadCode};
use crate::sort;

/// How many registers are compared at a loop's head at most; a loop with more is unrolled.
const MAX_COMPARED: usize = 64;
/// How much work finding out which registers are live may be, in words of 64 registers at an instruction. Beyond, all
/// count as live.
const MAX_LIVENESS: usize = 1 << 22;

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
    /// Fills in which registers loops compare; `own` registers are observable at the end of the thread.
    pub(super) fn find_compared(&mut self, own: usize) {
        let assigned: Vec<Vec<RegisterId>> = self
            .loops
            .iter()
            .map(|l| {
                let mut registers: Vec<_> =
                    self.instructions[l.head..l.end].iter().flat_map(|i| i.kind.assigns()).flatten().collect();
                sort::ascending(&mut registers);
                registers.dedup();
                registers
            })
            .collect();
        let mut wanted: Vec<RegisterId> = assigned.iter().flatten().copied().collect();
        sort::ascending(&mut wanted);
        wanted.dedup();
        let known = wanted.len().div_ceil(64) * self.instructions.len() <= MAX_LIVENESS;
        let mut live: Vec<Vec<RegisterId>> = vec![Vec::new(); self.loops.len()];
        if known {
            for chunk in wanted.chunks(64) {
                let at = self.live(chunk, own);
                for (l, live) in self.loops.iter().zip(&mut live) {
                    live.extend(chunk.iter().enumerate().filter(|(bit, _)| at[l.head] >> bit & 1 == 1).map(|(_, r)| r));
                }
            }
        }
        for ((l, assigned), live) in self.loops.iter_mut().zip(assigned).zip(live) {
            let compared: Vec<_> =
                assigned.into_iter().filter(|register| !known || live.binary_search(register).is_ok()).collect();
            l.compared = (compared.len() <= MAX_COMPARED).then(|| compared.into());
        }
    }

    /// Which of up to 64 registers are live before each instruction and at the end, as bits.
    fn live(&self, registers: &[RegisterId], own: usize) -> Vec<u64> {
        let bit = |register: &RegisterId| registers.binary_search(register).map_or(0, |bit| 1u64 << bit);
        let effects: Vec<(u64, u64)> = self
            .instructions
            .iter()
            .map(|instruction| {
                let mut read = 0;
                instruction.kind.operands().for_each(|operand| operand.each_register(&mut |r| read |= bit(&r)));
                (read, instruction.kind.assigns()[0].as_ref().map_or(0, bit))
            })
            .collect();
        let end = self.instructions.len();
        let mut live = vec![0; end + 1];
        live[end] = registers.iter().filter(|register| usize::from(register.0) < own).map(bit).sum();
        loop {
            let mut changed = false;
            for (at, instruction) in self.instructions.iter().enumerate().rev() {
                let behind = match instruction.kind {
                    InstructionKind::Jump(target) => live[target],
                    InstructionKind::Branch { otherwise, .. } => live[at + 1] | live[otherwise],
                    // A handler may also wait for ever.
                    InstructionKind::Get => {
                        self.messages.iter().fold(live[end], |live_then, message| live_then | live[message.entry])
                    }
                    _ => live[at + 1],
                };
                let (read, assigned) = effects[at];
                let before = behind & !assigned | read;
                changed |= before != live[at];
                live[at] = before;
            }
            if !changed {
                return live;
            }
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
            InstructionKind::Fence(_)
            | InstructionKind::Jump(_)
            | InstructionKind::Branch { .. }
            | InstructionKind::EnterLoop(_)
            | InstructionKind::Head(_)
            | InstructionKind::Round(_)
            | InstructionKind::Assert(_)
            | InstructionKind::Assume(_)
            | InstructionKind::Enter { .. } => false,
            InstructionKind::Write { .. }
            | InstructionKind::Update { .. }
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

impl Code {
    /// The places of the loops that wait: those with a way round that looks like a spin round, in the order of the text.
    /// Whether a round is one is decided when it is over.
    pub fn spin_loops(&self) -> Vec<Span> {
        let races = |kind: &InstructionKind| match kind {
            InstructionKind::Read { target: Target::Element(object, _), .. }
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
    fn assigns(&self) -> [Option<RegisterId>; 2] {
        match self {
            Self::Read { register, .. }
            | Self::Receive { register, .. }
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
