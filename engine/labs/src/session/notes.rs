//! What there is to know of a program before it is explored: how its loops are, and where the standards of C and C++ differ.

use crate::model::{Along, Model, Rseq};
use crate::program::{Code, Instruction, InstructionKind, Limits, Mode, Notation, ObjectId, Program, Span, Target};
use crate::syntax::Diagnostic;
use crate::words;

/// How many loops notes speak of at most.
const MAX_SPINS: usize = 8;

/// A note for each loop that waits and is explored as `assume`; and for a program in C or C++ one where the standards have
/// different rules for it. Quadratic in the length of a thread.
pub fn notes(program: &Program, code: &Code, model: Model, limits: Limits) -> Vec<Diagnostic> {
    spins(code, limits).chain(standard(program, code, model)).collect()
}

/// Of a program that has access modes, that the model ignores them, at the first.
pub(super) fn ignored_modes(code: &Code, model: Model) -> Option<Diagnostic> {
    let has_mode = |instruction: &&Instruction| {
        let Some(Access { read, write, .. }) = access(instruction) else { return false };
        read.is_some_and(Mode::is_acquire) || write.is_some_and(Mode::is_release)
    };
    let mut instructions = code.threads.iter().flat_map(|thread| &thread.instructions);
    let first = instructions.find(has_mode).filter(|_| !model.rules().synchronises())?;
    Some(Diagnostic::note(format!("{} ignores access modes, such as this one", model.title()), first.span))
}

/// Whether a thread may wait at a read: at an assumption, or in a loop that is not unrolled.
pub(super) fn may_wait(code: &Code, limits: Limits) -> bool {
    let mut instructions = code.threads.iter().flat_map(|thread| &thread.instructions);
    instructions.any(|instruction| matches!(instruction.kind, InstructionKind::Assume(_)))
        || !limits.unroll_spins && !code.spin_loops().is_empty()
}

fn spins(code: &Code, limits: Limits) -> impl Iterator<Item = Diagnostic> {
    let note = |span| {
        Diagnostic::note("this loop waits: a round that changes nothing is explored as `assume`, not repeated", span)
            .with_help("the option `--unroll-spins` repeats it up to the bound instead")
    };
    let spins = if limits.unroll_spins { Vec::new() } else { code.spin_loops() };
    spins.into_iter().filter(|span| *span != Span::default()).take(MAX_SPINS).map(note)
}

/// Which rules a model of C and C++ takes, and where in a program that matters.
fn standard(program: &Program, code: &Code, model: Model) -> Option<Diagnostic> {
    let rseq = model.rules().rseq().filter(|_| program.notation == Notation::C11)?;
    let is_other = |other: &Model| *other != model && other.rules().is_alike(model.rules());
    let other = Model::ALL.into_iter().find(is_other)?;
    let (title, other_title) = (model.title(), other.title());
    let mut sentences = Vec::new();
    let sequence = sequence(code);
    if let Some((head, _)) = sequence {
        let (here, there) = match rseq {
            Rseq::OfThreads => ("continues", "In C++20, only read-modify-writes do"),
            Rseq::OfUpdates => ("does not continue", "In C11, each write of the thread does"),
        };
        let line = head.line;
        sentences.push(format!(
            "under {title}, this write {here} the release sequence that begins in line {line}. {there} ({other_title})"
        ));
    }
    let mixed = mixed(code);
    if let Some((objects, _)) = &mixed {
        let names =
            words::list(objects.iter().map(|object| format!("`{}`", program.objects[usize::from(object.0)].name)));
        let one = objects.len() == 1;
        let (strict, loose) = match model.rules().psc.map(|psc| psc.along) {
            Some(Along::Shb) => (title, other_title),
            _ => (other_title, title),
        };
        sentences.push(format!(
            "{names} {} SC accesses and others. {strict}, which follows C++20, orders such SC accesses more strictly than {loose}",
            if one { "has" } else { "have" }
        ));
    }
    let span = sequence.map(|(_, later)| later).or(mixed.map(|(_, span)| span))?;
    let help = format!("`litmoscope compare --models {},{}` shows the outcomes under both", model.name(), other.name());
    Some(Diagnostic::note(sentences.join(". Besides, "), span).with_help(help))
}

/// An access of an object: the modes of its read and of its write, as far as it reads and writes.
#[derive(Clone, Copy)]
struct Access {
    object: ObjectId,
    read: Option<Mode>,
    write: Option<Mode>,
}

impl Access {
    fn is_sc(self) -> bool {
        self.read.or(self.write).is_some_and(Mode::is_sc)
    }
}

/// What an instruction accesses, but through pointers.
fn access(instruction: &Instruction) -> Option<Access> {
    let (target, read, write) = match &instruction.kind {
        InstructionKind::Read { target, mode, .. } => (target, Some(*mode), None),
        InstructionKind::Write { target, mode, .. } => (target, None, Some(*mode)),
        InstructionKind::Update { target, mode, .. } => (target, Some(*mode), Some(*mode)),
        InstructionKind::CompareAndSwap { target, mode, failure, .. } => {
            (target, Some(if failure.is_sc() { *failure } else { *mode }), Some(*mode))
        }
        _ => return None,
    };
    match target {
        Target::Element(object, _) => Some(Access { object: *object, read, write }),
        Target::Pointee(_) => None,
    }
}

/// The first write that is behind a release of its thread to the same object and releases nothing itself, if another thread
/// acquires something: where the release and where the write is. What is reached through pointers is left out.
fn sequence(code: &Code) -> Option<(Span, Span)> {
    let acquires = |instruction: &Instruction| match &instruction.kind {
        InstructionKind::Fence(mode) => mode.is_acquire(),
        InstructionKind::Read { mode, .. } | InstructionKind::Update { mode, .. } => mode.is_acquire(),
        InstructionKind::CompareAndSwap { mode, failure, .. } => mode.is_acquire() || failure.is_acquire(),
        _ => false,
    };
    let threads = || code.threads.iter().map(|thread| &thread.instructions);
    threads().enumerate().find_map(|(thread, instructions)| {
        let mut others = threads().enumerate().filter(|(other, _)| *other != thread);
        if !others.any(|(_, other)| other.iter().any(acquires)) {
            return None;
        }
        let loops: Vec<_> =
            instructions.iter().enumerate().filter_map(|(at, instruction)| back(at, instruction)).collect();
        let writes = instructions.iter().enumerate().filter_map(|(at, instruction)| {
            let Access { object, write, .. } = access(instruction)?;
            Some((at, object, write?, instruction.span))
        });
        let writes: Vec<_> = writes.collect();
        let comes_behind = |later: usize, head: usize| {
            later > head || loops.iter().any(|around| around.contains(&later) && around.contains(&head))
        };
        writes.iter().find_map(|&(later, object, mode, span)| {
            let continues = mode.is_atomic() && !mode.is_release();
            let mut heads = writes.iter().filter(|_| continues);
            let head = heads.find(|&&(head, of, mode, _)| {
                of == object && mode.is_release() && head != later && comes_behind(later, head)
            });
            head.map(|&(.., head)| (head, span))
        })
    })
}

/// The instructions of a loop, by the jump at its end.
fn back(at: usize, instruction: &Instruction) -> Option<std::ops::RangeInclusive<usize>> {
    match instruction.kind {
        InstructionKind::Jump(to) if to <= at => Some(to..=at),
        _ => None,
    }
}

/// The objects that have SC accesses and others, and the first such SC access, where the order of SC accesses may depend on that: if
/// several threads have SC events, and an SC read of the object may take a write that is not SC; or a thread has an SC access
/// of it and, behind that, a release that is not SC, or in front of it an acquire that is not SC.
fn mixed(code: &Code) -> Option<(Vec<ObjectId>, Span)> {
    let is_sc = |instruction: &Instruction| match &instruction.kind {
        InstructionKind::Fence(mode) => mode.is_sc(),
        _ => access(instruction).is_some_and(Access::is_sc),
    };
    let threads: Vec<Vec<(Access, Span)>> = code
        .threads
        .iter()
        .filter(|thread| thread.instructions.iter().any(is_sc))
        .map(|thread| thread.instructions.iter().filter_map(|at| Some((access(at)?, at.span))).collect())
        .collect();
    if threads.len() < 2 {
        return None;
    }
    let everywhere = || code.threads.iter().flat_map(|thread| thread.instructions.iter().filter_map(access));
    let is_mixed = |object: ObjectId| {
        let reads = everywhere().any(|at| at.object == object && at.read.is_some_and(Mode::is_sc));
        let others = everywhere().any(|at| at.object == object && at.write.is_some_and(|mode| !mode.is_sc()));
        let hands_on = |thread: &Vec<(Access, Span)>| {
            let own = || thread.iter().map(|(at, _)| *at).filter(|at| at.object == object);
            let releases = |at: Access| at.write.is_some_and(|mode| mode.is_release() && !mode.is_sc());
            let acquires = |at: Access| at.read.is_some_and(|mode| mode.is_acquire() && !mode.is_sc());
            own().any(Access::is_sc) && own().any(|at| releases(at) || acquires(at))
        };
        reads && others || threads.iter().any(hands_on)
    };
    let of_sc = || threads.iter().flatten().filter(|(at, _)| at.is_sc() && is_mixed(at.object));
    let first = of_sc().map(|&(_, span)| span).next()?;
    let mut objects: Vec<_> = of_sc().map(|(at, _)| at.object).collect();
    objects.sort_unstable();
    objects.dedup();
    Some((objects, first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes_of(text: &str, model: Model) -> Vec<String> {
        let program = crate::syntax::parse(text).expect("a program").program;
        let code = Code::compile(&program).expect("it can be compiled");
        let notes = notes(&program, &code, model, Limits::default());
        notes.into_iter().map(|note| format!("{}:{} {}", note.span.line, note.span.column, note.message)).collect()
    }

    fn c(threads: &[&str]) -> String {
        let bodies = threads.iter().enumerate().map(|(at, body)| {
            format!("P{at} (atomic_int* x, atomic_int* y) {{\n  {}\n}}\n", body.replace("; ", ";\n  "))
        });
        format!("C test\n{{}}\n{}exists (0:r0=0)\n", bodies.collect::<String>())
    }

    const REL: &str = "atomic_store_explicit(y, 1, memory_order_release)";
    const RLX: &str = "atomic_store_explicit(y, 2, memory_order_relaxed)";
    const ACQ: &str = "int r0 = atomic_load_explicit(y, memory_order_acquire);";

    #[test]
    fn where_the_standards_differ_is_said() {
        let text = c(&[&format!("{REL}; {RLX};"), ACQ]);
        assert_eq!(
            notes_of(&text, Model::RC11),
            ["5:3 under RC11, this write continues the release sequence that begins in line 4. In C++20, only \
              read-modify-writes do (RC20)"]
        );
        assert_eq!(
            notes_of(&text, Model::RC20),
            ["5:3 under RC20, this write does not continue the release sequence that begins in line 4. In C11, each \
              write of the thread does (RC11)"]
        );
        // Models that know no release sequences, and programs where nothing depends on them.
        assert_eq!(notes_of(&text, Model::RA), [""; 0]);
        for threads in [
            [format!("{RLX}; {REL};"), ACQ.to_owned()],
            [format!("{REL}; {REL};"), ACQ.to_owned()],
            [format!("{REL}; {RLX};"), ACQ.replace("acquire", "relaxed")],
            [format!("{REL}; {};", RLX.replace("(y", "(x")), ACQ.to_owned()],
        ] {
            assert_eq!(notes_of(&c(&[&threads[0], &threads[1]]), Model::RC11), [""; 0], "{threads:?}");
        }
        // The next round of a loop continues what this one begins.
        let round = format!("for (int i = 0; i < 2; i++) {{ {RLX}; {REL}; }}");
        assert!(notes_of(&c(&[&round, ACQ]), Model::RC11)[0].contains("continues"));
        // In Litmoscope's notation, nobody asked for C.
        assert_eq!(notes_of("y :=rel 1; y := 2 || a :=acq y", Model::RC11), [""; 0]);
    }

    #[test]
    fn sc_accesses_beside_others_are_said() {
        let (store, load) = ("atomic_store(x, 1)", "int r0 = atomic_load(x);");
        let relaxed = RLX.replace("(y", "(x");
        let text = c(&[&format!("{store}; {relaxed};"), load]);
        let [note] = &notes_of(&text, Model::RC11)[..] else { panic!("{:?}", notes_of(&text, Model::RC11)) };
        assert!(note.starts_with("5:3 under RC11, this write continues"), "{note}");
        assert!(
            note.contains(". Besides, `x` has SC accesses and others. RC20, which follows C++20, orders"),
            "{note}"
        );
        let text = c(&[&format!("{relaxed}; {store};"), load]);
        let expected = "5:3 `x` has SC accesses and others. RC20, which follows C++20, orders such SC accesses more strictly than RC11";
        assert_eq!(notes_of(&text, Model::RC11), [expected]);
        assert_eq!(notes_of(&text, Model::RC20), [expected]);
        // All of them are SC, or one thread's alone, or no SC access reads what the others write.
        assert_eq!(notes_of(&c(&[&format!("{store};"), load]), Model::RC11), [""; 0]);
        assert_eq!(notes_of(&c(&[&format!("{relaxed}; {store};"), ACQ]), Model::RC11), [""; 0]);
        let other = "atomic_store(y, 1); int r0 = atomic_load_explicit(x, memory_order_relaxed);";
        assert_eq!(notes_of(&c(&[&format!("{store};"), other]), Model::RC11), [""; 0]);
        // A release behind an SC access.
        let release = REL.replace("(y", "(x");
        assert_eq!(notes_of(&c(&[&format!("{store}; {release};"), other]), Model::RC11).len(), 1);
    }
}
