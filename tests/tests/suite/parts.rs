//! What is done before and behind all threads: what stands behind them reads what is there at the end, under every model that orders
//! accesses of different locations; what is done before leaves initial values.
//!
//! What it reads is held against last writes.

use litmoscope::explore::{Algorithm, Options, Results, Step};
use litmoscope::model::Model;
use litmoscope::program::{
    Access, AccessKind, Code, Expression, Mode, Notation, ObjectId, ObjectKind, Observable, Place, PlaceKind, Program,
    RegisterId, Span, Statement, StatementKind, Thread, ThreadKind, Value,
};
use litmoscope::syntax::{parse, print};
use litmoscope::testing::{for_all, for_all_clients, seeds};
use litmoscope_tests::random::{LIMITS, with_parts};
use std::collections::BTreeSet;
use std::sync::Arc;

const OPTIONS: Options = Options::within(LIMITS);

/// The final states of complete executions.
fn finals(program: &Program, model: Model, algorithm: Algorithm) -> BTreeSet<Vec<Value>> {
    let code = Arc::new(Code::compile(program).expect("it can be explored"));
    let mut explorer = algorithm.explorer(Arc::clone(&code), model, OPTIONS).expect("it can be explored");
    let mut results = Results::with_all_outcomes(program);
    loop {
        let step = explorer.advance();
        results.observe(program, &code, model, &*explorer, step);
        if step == Step::Done {
            return results.outcomes().map(|(values, _)| values.to_vec()).collect();
        }
    }
}

/// The locations of memory.
fn cells(program: &Program) -> Vec<(ObjectId, u32)> {
    let kinds = program.object_kinds().expect("it can be explored");
    let objects = program.objects.iter().enumerate().filter(|(at, _)| kinds[*at] == ObjectKind::Memory);
    objects
        .flat_map(|(at, object)| (0..object.initial.len() as u32).map(move |offset| (ObjectId(at as u16), offset)))
        .collect()
}

/// The program with a part behind all threads that reads all memory.
fn read_behind(program: &Program) -> Program {
    let mut after = Thread { kind: ThreadKind::After, name: Some("after".to_owned()), ..Thread::default() };
    let thread = program.threads.len() as u16;
    let mut observed = Vec::new();
    for (at, (object, offset)) in cells(program).into_iter().enumerate() {
        after.registers.push(format!("r{at}"));
        after.initial.push(0);
        let index = program.objects[usize::from(object.0)].array.then(|| Expression::Constant(offset.into()));
        let place = Place { kind: PlaceKind::Element { object, index }, span: Span::default() };
        let access = Access { kind: AccessKind::Read, place, mode: Mode::Relaxed, span: Span::default() };
        let register = RegisterId(at as u16);
        let kind = StatementKind::Assign { register, value: Expression::Access(Box::new(access)) };
        after.body.push(Statement { kind, span: Span::default() });
        observed.push(Observable::Register { thread, register });
    }
    let mut program = Program { observed: Some(observed), condition: None, filter: None, ..program.clone() };
    program.threads.push(after);
    program
}

#[test]
fn what_is_behind_all_threads_reads_what_is_there_at_the_end() {
    let mut states = 0;
    let mut check = |program: &Program| {
        let observed = cells(program).into_iter().map(|(object, offset)| Observable::Location { object, offset });
        let plain = Program { observed: Some(observed.collect()), condition: None, filter: None, ..program.clone() };
        let behind = read_behind(program);
        for model in Model::ALL.into_iter().filter(|model| model.rules().orders_locations()) {
            let expected = finals(&plain, model, Algorithm::default());
            states += expected.len();
            for algorithm in [Algorithm::default(), Algorithm::Trust, Algorithm::TrustCo] {
                if algorithm.knows(model) && finals(&behind, model, algorithm) != expected {
                    return Err(format!("{} under {model}", algorithm.title()));
                }
            }
        }
        Ok(())
    };
    for_all(seeds(500), &mut check);
    for_all_clients(seeds(500), &mut check);
    assert!(states > 200, "{states}");
}

#[test]
fn what_is_before_leaves_initial_values() {
    let text = "shared x, q[2] = ?\n\nbefore { x := 1; a := fai(x); q[a] := x; fence sc; if x = 2 { q[0] := 7 } }\n\nr := q[1]";
    let program = parse(text).expect("a program").program;
    let code = Code::compile(&program).expect("it can be explored");
    assert_eq!((code.initial, code.threads.len()), (vec![2, 7, 2], 1));
}

/// Printed programs are the same programs.
#[test]
fn they_are_printed_and_read() {
    let mut read = 0;
    for_all(seeds(1_000), |program| {
        let Some(program) = with_parts(program) else { return Ok(()) };
        let program = Program { notation: Notation::Litmoscope, ..program };
        let text = print(&program, Notation::Litmoscope).map_err(|error| error.to_string())?;
        let again = parse(&text).map_err(|wrong| format!("{wrong:#?}\n{text}"))?.program;
        read += 1;
        let without = |program: Program| Program { name: String::new(), ..program.without_spans() };
        let (mut program, mut again) = (without(program), without(again));
        for object in program.objects.iter_mut().chain(&mut again.objects) {
            object.origin = litmoscope::program::Origin::Declared;
        }
        if program == again { Ok(()) } else { Err(format!("{program:#?}\n{again:#?}\n{text}")) }
    });
    assert!(read > 10);
}
