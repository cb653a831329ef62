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
//!
//! Three things are no spin rounds although they might be. A write is an effect, even of the value that was there. A round that ends
//! a call of a concurrent object's method is part of the object's history, even if it found nothing. And a read of something
//! that the program accesses non-atomically elsewhere counts as an effect, since that very read may be one side of a data
//! race, whose other side may come only after the loop.

use super::{
    Arithmetic, BinaryOperator, CasResult, Code, Expression, InstructionKind, Operand, RegisterId, Span, Target,
    ThreadCode, UpdateOperator,
};
use crate::sort;

/// How many registers are compared at a loop's head at most; a loop with more is unrolled.
const MAX_COMPARED: usize = 64;
/// How much room what is known of live registers may take, in words of 64 registers at an instruction. Beyond, all count as live.
const MAX_LIVENESS: usize = 1 << 22;

/// For how many loops within such that only compute it is found out which registers are live; in others, all count as live.
const MAX_LOCAL: usize = 64;

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
        let known = words.saturating_mul(self.instructions.len()) <= MAX_LIVENESS;
        let locals = if known { Local::all(self, words) } else { Vec::new() };
        let outside = known.then(|| Liveness::new(self, words, &locals, &is_seen));
        let mut left = MAX_LOCAL;
        for at in 0..self.loops.len() {
            let (head, end) = (self.loops[at].head, self.loops[at].end);
            // Whether a loop comes to its own end is what its rounds are about.
            let around = |local: &&Local| !(local.first..local.end).contains(&head);
            let inside = (known && locals.iter().any(|local| !around(&local)) && left > 0).then(|| {
                left -= 1;
                let others: Vec<_> = locals.iter().filter(around).cloned().collect();
                Liveness::new(self, words, &others, &is_seen)
            });
            let is_inside = locals.iter().any(|local| !around(&local));
            let live = if is_inside { &inside } else { &outside };
            let mut compared: Vec<_> =
                self.instructions[head..end].iter().flat_map(|i| i.kind.assigns()).flatten().collect();
            sort::ascending(&mut compared);
            compared.dedup();
            compared.retain(|register| live.as_ref().is_none_or(|live| live.is_live(head, *register)));
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
            | InstructionKind::Enter { .. } => false,
            InstructionKind::Write { .. }
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

/// Which registers are live before each instruction of a thread and at its end, where only what somebody needs makes others live.
struct Liveness {
    /// Words for an instruction.
    words: usize,
    /// By instruction.
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
    /// Cubic at worst, in practice about linear: each pass over the instructions is one, and there are as many as loops are in each
    /// other.
    fn new(code: &ThreadCode, words: usize, locals: &[Local], is_seen: impl Fn(RegisterId) -> bool) -> Self {
        let end = code.instructions.len();
        let mut this = Self { words, live: vec![0; words * (end + 1)] };
        for register in (0..code.registers.len()).filter(|&register| is_seen(RegisterId(register as u16))) {
            set(&mut this.live[words * end..], register);
        }
        let mut row = vec![0; words];
        loop {
            let mut changed = false;
            for (at, instruction) in code.instructions.iter().enumerate().rev() {
                let kind = &instruction.kind;
                row.copy_from_slice(this.row(match kind {
                    InstructionKind::Jump(target) => *target,
                    _ => at + 1,
                }));
                match kind {
                    InstructionKind::Branch { otherwise, .. } => this.add(*otherwise, &mut row),
                    InstructionKind::Get => {
                        // A handler may also wait for ever.
                        row.copy_from_slice(this.row(end));
                        code.messages.iter().for_each(|message| this.add(message.entry, &mut row));
                    }
                    _ => {}
                }
                let assigned = kind.assigns()[0];
                let is_needed = match kind {
                    InstructionKind::Assign { register, value } => {
                        is_set(&row, usize::from(register.0)) || may_fail_soon(*register, value)
                    }
                    InstructionKind::Branch { condition, .. } => {
                        let decides =
                            |local: &Local| local.assigned.iter().zip(this.row(local.end)).any(|(a, l)| a & l != 0);
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
                let before = &mut this.live[words * at..words * (at + 1)];
                changed |= *before != *row;
                before.copy_from_slice(&row);
            }
            if !changed {
                return this;
            }
        }
    }

    fn row(&self, at: usize) -> &[u64] {
        &self.live[self.words * at..self.words * (at + 1)]
    }

    fn add(&self, at: usize, row: &mut [u64]) {
        row.iter_mut().zip(self.row(at)).for_each(|(word, more)| *word |= more);
    }

    fn is_live(&self, at: usize, register: RegisterId) -> bool {
        is_set(self.row(at), usize::from(register.0))
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
            compared.iter().map(name).collect::<Vec<_>>().join(" ")
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

    /// What the first thread does next once it has read a value.
    fn behind(code: &Code, read: i64) -> (Action, Action) {
        let mut state = ThreadState::new(code, 0);
        let first = state.advance(code, 0, Limits::default());
        state.resume(code, 0, Some(read), false);
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
