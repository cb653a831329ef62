//! The oracles against each other on random programs: machines with store buffers against axioms.

use litmoscope::explore::brute_force::{self, candidates_up_to};
use litmoscope::explore::{Algorithm, Options, Step, operational};
use litmoscope::fairness::{Buffered, MOST_ENTRIES};
use litmoscope::graph::{CanonicalExecution, EventId, EventKey, Execution};
use litmoscope::model::Model;
use litmoscope::program::system::{PointKind, State, States, System};
use litmoscope::program::{
    Code, Expression, Integer, Location, Mode, Object, ObjectId, ObjectKind, Origin, Place, PlaceKind, Program,
    RegisterId, Span, Statement, StatementKind, ThreadKind, Value,
};
use litmoscope::testing::{for_all, for_all_clients, seeds};
use litmoscope_tests::random::{CAP, LIMITS, weaken, with_blocks, with_inputs, with_parts};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Executions, each with the writes that the final memory can come from.
type Outcomes = BTreeMap<CanonicalExecution, BTreeSet<Vec<EventKey>>>;

fn keys(graph: &Execution, events: &[EventId]) -> Vec<EventKey> {
    events.iter().map(|&e| graph.event(e).key).collect()
}

/// The axioms of SC, TSO and PSO allow exactly what their machines do, final memory included.
#[test]
fn axioms_are_machines() {
    compare(LIMITS.into(), false, |program| Some(program.clone()));
}

/// With mutexes and channels, threads that wait at the end included.
#[test]
fn mutexes_and_channels() {
    compare(LIMITS.into(), true, |program| Some(program.clone()));
}

/// With statements before and behind all threads.
#[test]
fn before_and_after() {
    compare(LIMITS.into(), false, with_parts);
    compare(LIMITS.into(), true, with_parts);
}

/// With compare-and-swaps that may fail spuriously too.
#[test]
fn weak_compare_and_swaps() {
    compare(Options { spurious: true, ..LIMITS.into() }, false, weaken);
}

/// With inputs.
#[test]
fn inputs() {
    compare(LIMITS.into(), false, with_inputs);
}

/// With blocks that are one step, inputs too: the machine takes them in one step, and an explorer with co leaves what is not so.
#[test]
fn blocks() {
    let (mut skipped, mut executions, mut left) = (0, 0, 0);
    let seeds = seeds(1_000);
    for_all(seeds.clone(), |program| {
        let Some(program) = with_blocks(program) else { return Ok(()) };
        let program = with_inputs(&program).unwrap_or(program);
        let code = Arc::new(Code::compile(&program).map_err(|error| error.to_string())?);
        let Ok(runs) = operational::runs(Model::SC, &code, LIMITS, CAP) else {
            skipped += 1;
            return Ok(());
        };
        let machine: BTreeSet<_> =
            runs.iter().map(|run| (run.execution.canonical(), keys(&run.execution, &run.memory))).collect();
        let options: Options = LIMITS.into();
        for algorithm in Algorithm::ALL {
            if options.validate_for_program(algorithm, Model::SC, &code).is_err() {
                continue;
            }
            let mut explorer = algorithm.explorer(Arc::clone(&code), Model::SC, options).expect("it is small");
            let mut found = BTreeSet::new();
            loop {
                match explorer.advance() {
                    Step::Execution { .. } => {
                        let (graph, co) = (explorer.execution(), explorer.coherence().expect("it has a co"));
                        let last: Vec<EventId> = co.iter().filter_map(|writes| writes.last().copied()).collect();
                        found.insert((graph.canonical(), keys(graph, &last)));
                    }
                    Step::NotAtomic => left += 1,
                    Step::Done => break,
                    _ => {}
                }
            }
            executions += found.len();
            if found != machine {
                let lost: Vec<_> = machine.difference(&found).take(1).collect();
                let wrong: Vec<_> = found.difference(&machine).take(1).collect();
                return Err(format!("{algorithm:?}: lost {lost:#?}, wrong {wrong:#?}"));
            }
        }
        Ok(())
    });
    println!("seeds {seeds:?}: {executions} executions, {left} graphs left, {skipped} skipped");
    assert!(executions > 0 && left > 0);
}

fn compare(options: Options, clients: bool, change: fn(&Program) -> Option<Program>) {
    let (mut skipped, mut graphs) = (0, 0);
    let mut consistent = [0; 3];
    let seeds = seeds(1_000);
    let check = |program: &Program| {
        let Some(program) = change(program) else { return Ok(()) };
        let code = Code::compile(&program).map_err(|error| error.to_string())?;
        let locations: Vec<_> = (0..code.initial.len() as u32).map(Location).collect();
        let Ok(candidates) = candidates_up_to(CAP, &code, options) else {
            skipped += 1;
            return Ok(());
        };
        graphs += candidates.len();
        for (column, model) in [Model::SC, Model::TSO, Model::PSO].into_iter().enumerate() {
            let Ok(runs) = operational::runs(model, &code, options, CAP) else {
                skipped += 1;
                continue;
            };
            let mut machine = Outcomes::new();
            for run in &runs {
                machine.entry(run.execution.canonical()).or_default().insert(keys(&run.execution, &run.memory));
            }
            let mut axioms = Outcomes::new();
            for graph in &candidates {
                let finals = brute_force::final_writes(model, graph, &locations);
                if finals.is_empty() == brute_force::consistent(model, graph) {
                    return Err(format!("{model:?}: consistent() and final_writes() disagree on {graph:#?}"));
                }
                if !finals.is_empty() {
                    axioms.insert(graph.canonical(), finals.iter().map(|writes| keys(graph, writes)).collect());
                }
            }
            consistent[column] += axioms.len();
            if machine != axioms {
                let only = |a: &Outcomes, b: &Outcomes| -> Vec<_> {
                    let differs = a.iter().filter(|(graph, finals)| b.get(*graph) != Some(finals));
                    differs.map(|(graph, finals)| (graph.clone(), finals.clone())).take(1).collect()
                };
                let (machine, axioms) = (only(&machine, &axioms), only(&axioms, &machine));
                return Err(format!("{model:?}: machine {machine:#?}\naxioms {axioms:#?}"));
            }
        }
        Ok(())
    };
    if clients {
        for_all_clients(seeds.clone(), check)
    } else {
        for_all(seeds.clone(), check)
    }
    println!("seeds {seeds:?}: {graphs} candidates, {consistent:?} consistent with SC, TSO, PSO, {skipped} skipped");
}

/// The program whose threads write all of their registers to memory at their ends, each to an object of its own.
fn telling(program: &Program) -> Program {
    let mut program = program.clone();
    for thread in program.threads.iter_mut().filter(|thread| thread.kind == ThreadKind::Plain) {
        for register in 0..thread.registers.len() as u16 {
            let object = ObjectId(program.objects.len() as u16);
            program.objects.push(Object {
                name: format!("told{}", object.0),
                initial: vec![0],
                array: false,
                uninitialised: false,
                integer: Integer::default(),
                origin: Origin::Declared,
                span: Span::default(),
            });
            let place = Place { kind: PlaceKind::Element { object, index: None }, span: Span::default() };
            let value = Expression::Register(RegisterId(register));
            let kind = StatementKind::Write { place, mode: Mode::default(), value };
            thread.body.push(Statement { kind, span: Span::default() });
        }
    }
    program
}

/// What memory holds where all threads of a system came to their ends, and nothing is left to do.
fn ends(system: &System, threads: usize, memory: &[usize]) -> Option<BTreeSet<Vec<Value>>> {
    let states = States::of(system, 10 * CAP).ok()?;
    let is_over = |state: &State| {
        let mut ended = state.points.iter().enumerate().take(threads);
        ended.all(|(thread, point)| system.point(thread, *point).kind == PointKind::Ended)
    };
    let last = states.steps.iter().zip(&states.states).filter(|(steps, state)| steps.is_empty() && is_over(state));
    Some(last.map(|(_, state)| memory.iter().map(|at| state.values[*at]).collect()).collect())
}

/// Store buffers as threads of a transition system leave in memory what the machines do, where all threads come to their ends.
#[test]
fn store_buffers_of_transition_systems() {
    let (mut skipped, mut compared, mut weaker) = (0, 0, 0);
    let mut check = |program: &Program| {
        let program = &telling(program);
        let code = Code::compile(program).map_err(|error| error.to_string())?;
        let Ok(plain) = System::of(program, &code) else {
            skipped += 1;
            return Ok(());
        };
        if plain.transitions.iter().any(|transition| transition.is_back_jump) {
            skipped += 1;
            return Ok(());
        }
        let is_memory = |at: &usize| {
            let object = code.object(Location(*at as u32)).0;
            matches!(code.kinds[usize::from(object.0)], ObjectKind::Memory)
        };
        let memory: Vec<usize> = (0..code.cells()).filter(is_memory).collect();
        let mut sizes = Vec::new();
        for model in [Model::SC, Model::TSO, Model::PSO] {
            let Ok(runs) = operational::runs(model, &code, LIMITS, CAP) else {
                skipped += 1;
                return Ok(());
            };
            let is_whole = |run: &&operational::Run| !run.execution.events().any(|(_, event)| event.ends_thread());
            let values = |run: &operational::Run| {
                let values = run.values();
                memory.iter().map(|at| values[*at]).collect::<Vec<Value>>()
            };
            let machine: BTreeSet<_> = runs.iter().filter(is_whole).map(values).collect();
            let found = match model.rules().buffers {
                None => ends(&plain, plain.threads.len(), &memory),
                Some(buffers) => {
                    let buffered = Buffered::of(&plain, buffers, MOST_ENTRIES);
                    ends(&buffered.system, buffered.threads, &memory)
                }
            };
            let Some(found) = found else {
                skipped += 1;
                return Ok(());
            };
            if found != machine {
                return Err(format!("{model:?}: the system ends with {found:?}, the machine with {machine:?}"));
            }
            compared += 1;
            sizes.push(found.len());
        }
        weaker += u32::from(sizes[0] < sizes[2]);
        Ok(())
    };
    let seeds = seeds(500);
    for_all(seeds.clone(), &mut check);
    for_all_clients(seeds.clone(), &mut check);
    println!("seeds {seeds:?}: {compared} compared, {weaker} weaker under PSO, {skipped} skipped");
    assert!(compared > 300 && weaker > 0, "{compared} compared, {weaker} weaker");
}
