//! Threads that share the judging of histories, or the search of a memory's runs: the result is that of one thread, whoever is faster.

use super::run::{decide_on_threads, judge_clients, judge_executions};
use super::{SEED, schedule};
use litmoscope::budget::{Budget, Stop};
use litmoscope::histories::executions::{Client, Judged, Judging, Sight, clients, operations_of, with_client};
use litmoscope::memories::{Causality, Decided, Initial, Machine, Question, ShapeTally, decide, parse_protocol};
use litmoscope::model::Model;
use litmoscope::program::{Code, Limits, Program};
use litmoscope::syntax::parse;
use shuttle::rand::{Rng, thread_rng};
use std::num::NonZeroUsize;
use std::sync::Arc;

macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("../../../public/", $name))
    };
}

fn some_threads() -> NonZeroUsize {
    NonZeroUsize::new(thread_rng().gen_range(2..=4)).expect("more than one")
}

/// A budget, which may be spent already.
fn some_budget() -> (Budget, bool) {
    let is_spent = thread_rng().gen_bool(0.1);
    let stop = Stop::default();
    if is_spent {
        stop.tell();
    }
    (Budget::until(stop), is_spent)
}

fn question(causality: Causality, configurations: u64) -> Question<'static> {
    Question { causality, initial: Initial::Nothing, configurations, steps: None, symmetry: None }
}

/// Of a machine and a model, what one thread knows.
struct Memory {
    name: &'static str,
    machine: Machine,
    causality: Causality,
    known: Decided,
}

fn memories() -> Vec<Memory> {
    let all = [
        ("broadcast", file!("protocols/broadcast.protocol")),
        ("two-orders", file!("protocols/two-orders.protocol")),
        ("m2", file!("protocols/m2.protocol")),
        ("instant", file!("protocols/instant.protocol")),
    ];
    let of = |(name, text): (&'static str, &str)| {
        let machine = parse_protocol(text, &[]).expect("the library is right").0;
        [Causality::ReleaseAcquire, Causality::Strong].map(|causality| {
            let known = decide(&machine, &question(causality, u64::MAX), &mut Budget::unlimited());
            Memory { name, machine: machine.clone(), causality, known: known.expect("nobody pauses it") }
        })
    };
    all.into_iter().flat_map(of).collect()
}

#[test]
fn shapes_are_searched_as_by_one_thread() {
    let (memories, schedules) = (Arc::new(memories()), 5000);
    println!("{} questions, {schedules} schedules of each kind, seed {SEED}", memories.len());
    schedule(schedules, || {
        let memories = Arc::clone(&memories);
        move || {
            let memory = &memories[thread_rng().gen_range(0..memories.len())];
            let limit = if thread_rng().gen_bool(0.3) { thread_rng().gen_range(1..2000) } else { u64::MAX };
            let (tally, threads, (budget, is_spent)) = (ShapeTally::default(), some_threads(), some_budget());
            let question = question(memory.causality, limit);
            let decided = decide_on_threads(&memory.machine, &question, &tally, threads, &budget);
            let name = format!("{} {:?} {limit} on {threads}", memory.name, memory.causality);
            match (decided, &memory.known) {
                (Err(_), _) => assert!(is_spent, "{name}"),
                // What is not known of some shapes is not claimed of all.
                (Ok(Decided::Unknown { .. }), _) => assert!(tally.is_cut(), "{name}"),
                (Ok(Decided::Violated { run, .. }), Decided::Violated { run: shortest, .. }) if tally.is_cut() => {
                    assert!(run.len() >= shortest.len(), "{name}");
                }
                (Ok(Decided::Violated { run, .. }), Decided::Violated { run: shortest, .. }) => {
                    assert_eq!(&run, shortest, "{name}");
                }
                (Ok(decided), known) => assert_eq!(&decided, known, "{name}"),
            }
        }
    });
}

fn judging(program: &Program, sight: Sight) -> Judging {
    let code = Arc::new(Code::compile(program).expect("it can be explored"));
    let limits = Limits { unroll_spins: true, ..Limits::default() };
    let program = Arc::new(program.clone());
    Judging { program, code, model: Model::SC, options: limits.into(), structure: 0, sight }
}

/// All that is said of the executions of a program.
fn found(judged: &Judged) -> impl PartialEq + std::fmt::Debug + use<> {
    let first = judged.first.as_ref().map(|first| (first.execution.number, first.order.clone()));
    let counts = (judged.executions, judged.violating, judged.blocked, judged.is_bounded, judged.is_cut_short);
    (judged.histories(), counts, first)
}

#[test]
fn executions_are_judged_as_by_one_thread() {
    let program = parse(file!("objects/treiber-aba.lit")).expect("a program").program;
    let (judging, schedules) = (Arc::new(judging(&program, Sight::Time)), 500);
    let known = found(&judging.judge_all(&mut Budget::unlimited()));
    let known = Arc::new(known);
    println!("{schedules} schedules of each kind, seed {SEED}");
    schedule(schedules, || {
        let (judging, known) = (Arc::clone(&judging), Arc::clone(&known));
        move || {
            let (threads, (budget, is_spent)) = (some_threads(), some_budget());
            let judged = judge_executions(&judging, threads, &budget);
            if is_spent {
                assert!(judged.is_cut_short && judged.violating == 0, "{threads}");
            } else {
                assert_eq!(found(&judged), *known, "{threads}");
            }
        }
    });
}

#[test]
fn clients_are_judged_as_by_one_thread() {
    let program = parse(file!("objects/treiber-plain-pop.lit")).expect("a program").program;
    let all = Arc::new(clients(&operations_of(&program.structures[0]), 2, 2));
    let of = Arc::new(move |client: &Client| Some(judging(&with_client(&program, 0, client), Sight::Client)));
    let one = NonZeroUsize::MIN;
    let violating = |all: Vec<Option<Judged>>| -> Vec<Option<u64>> {
        all.into_iter().map(|judged| judged.map(|judged| judged.violating)).collect()
    };
    let known: Vec<Option<u64>> = all
        .iter()
        .map(|client| of(client).map(|judging| judging.judge_to_first(&mut Budget::unlimited()).violating))
        .collect();
    assert!(known.len() > 3 && known.iter().all(Option::is_some), "{known:?} by {one}");
    let (known, schedules) = (Arc::new(known), 500);
    println!("{} clients, {schedules} schedules of each kind, seed {SEED}", all.len());
    schedule(schedules, || {
        let (all, of, known) = (Arc::clone(&all), Arc::clone(&of), Arc::clone(&known));
        move || {
            let (threads, (budget, is_spent)) = (some_threads(), some_budget());
            let judged = violating(judge_clients(&all, &*of, threads, &budget));
            if is_spent {
                assert!(judged.iter().all(Option::is_none), "{threads}");
            } else {
                assert_eq!(judged, *known, "{threads}");
            }
        }
    });
}
