//! Threads that do the same.

use super::{Code, InstructionKind, Observable, Program, ThreadCode};

impl Code {
    /// The nearest thread to the left that is the same as this one: the same instructions and the same registers at the
    /// start, and the condition, the filter and the `locations` line mention the registers of neither. Exchanging the two
    /// in an execution gives an execution.
    pub fn twin(&self, thread: usize) -> Option<usize> {
        self.twins.get(thread).copied().flatten()
    }
}

/// For each thread, [`Code::twin`].
pub(super) fn find_twins(program: &Program, threads: &[ThreadCode]) -> Vec<Option<usize>> {
    let mut mentioned = program.observed.clone().unwrap_or_default();
    if let Some(condition) = &program.condition {
        condition.proposition.observables(&mut mentioned);
    }
    if let Some(filter) = &program.filter {
        filter.observables(&mut mentioned);
    }
    let mut told_apart = vec![false; threads.len()];
    for observable in mentioned {
        if let Observable::Register { thread, .. } = observable
            && let Some(told_apart) = told_apart.get_mut(usize::from(thread))
        {
            *told_apart = true;
        }
    }
    let kinds = |thread: usize| threads[thread].instructions.iter().map(|instruction| &instruction.kind);
    let same = |a: usize, b: usize| {
        let (first, second) = (&threads[a], &threads[b]);
        // Which registers are temporaries decides what a round of a loop has to leave as it was.
        program.threads[a].registers.len() == program.threads[b].registers.len()
            && first.registers == second.registers
            && first.instructions.len() == second.instructions.len()
            && kinds(a).eq(kinds(b))
    };
    (0..threads.len())
        .map(|thread| (0..thread).rev().find(|&other| !told_apart[thread] && !told_apart[other] && same(thread, other)))
        .collect()
}

impl ThreadCode {
    /// Whether it may write to an object other than by read-modify-writes and operations of library objects.
    pub fn may_overwrite(&self, object: super::ObjectId) -> bool {
        self.instructions.iter().any(|instruction| match &instruction.kind {
            InstructionKind::Write { target: super::Target::Element(other, _), .. } => *other == object,
            InstructionKind::Write { .. } => true,
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse;

    fn twins(text: &str) -> Vec<Option<usize>> {
        let program = parse(&format!("shared x, y\n\n{text}")).expect("a program").program;
        let code = Code::compile(&program).expect("it can be explored");
        (0..code.threads.len()).map(|thread| code.twin(thread)).collect()
    }

    #[test]
    fn the_same_whatever_registers_are_called() {
        assert_eq!(twins("a := x || x := 1 || b := x || c := x"), [None, None, Some(0), Some(2)]);
        assert_eq!(twins("a := x; b := a || c := x"), [None, None]);
        assert_eq!(twins("x := 1 || x := 2"), [None, None]);
        assert_eq!(twins("x :=rel 1 || x := 1"), [None, None]);
    }

    #[test]
    fn conditions_tell_threads_apart() {
        assert_eq!(twins("a := x || a := x || a := x\nexists (P1:a = 1)"), [None, None, Some(0)]);
        assert_eq!(twins("a := x || a := x\nlocations [1:a;]"), [None, None]);
        assert_eq!(twins("fai(x) || fai(x)\nexists (x = 2)"), [None, Some(0)]);
        assert_eq!(twins("init { P1:a = 1 }\n\nx := a || x := a"), [None, None]);
    }
}
