//! What is found out quickly against the definition.

use super::super::bits::Bits;
use super::super::graph::{Begun, Ev, Graph, Kind, Slot};
use super::super::plan::Plan;
use super::super::store::Lists;
use super::finals::Rows;
use crate::budget::{Budget, Decision};
use crate::explore::threads::Threads;
use crate::explore::{Algorithm, Options, Step, Work};
use crate::graph::{Coherence, EventId, EventKey};
use crate::model::{Inquiry, Model};
use crate::program::{Code, Limits, Location, Program};
use crate::random::Random;
use crate::syntax::parse;
use crate::testing::{UNROLL, for_all, for_all_clients, large, seeds};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the definition may take: beyond it, nothing is compared.
const LIMIT: u64 = 1 << 16;

thread_local! {
    /// How many answers were compared, and how many of them were no.
    static COMPARED: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
    /// Of how many executions last writes were compared, and how many of them have several combinations.
    static LASTS: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// Compares an answer with that of the model.
pub(super) fn compare<const W: usize>(
    graph: &Graph<W>,
    plan: &Plan,
    threads: &Threads,
    set: &Bits<W>,
    more: Option<(&Ev, Slot)>,
    decision: Decision,
) where
    Bits<W>: Lists,
{
    // What is refused is left: its places mean nothing.
    if more.is_some() || decision == Decision::Yes {
        graph.assert_run(plan, set);
    }
    if plan.poses_sc && (more.is_some() || decision == Decision::Yes) && !graph.places.unplaced.intersects(set) {
        assert_places(graph, plan, threads, set);
    }
    let (execution, co) = graph.execution(plan, threads, set, more, Begun::Unwritten);
    let mut inquiry = Inquiry::default();
    let right = plan.model.decide(&execution, co.as_ref(), LIMIT, &mut inquiry, &mut Budget::unlimited());
    if right == Ok(Decision::Undecided) {
        return;
    }
    assert_eq!(Ok(decision), right, "{} of {execution:?}", plan.model);
    COMPARED.with(|compared| {
        let (all, negative) = compared.get();
        compared.set((all + 1, negative + u64::from(decision == Decision::No)));
    });
}

/// That the places of some events are those of a co that fits.
fn assert_places<const W: usize>(graph: &Graph<W>, plan: &Plan, threads: &Threads, set: &Bits<W>)
where
    Bits<W>: Lists,
{
    let (execution, _) = graph.execution(plan, threads, set, None, Begun::Unwritten);
    let mut co: Coherence = (0..plan.code.initial.len() as u32).map(|location| vec![EventId(location)]).collect();
    let mut writes: Vec<Slot> =
        set.iter().filter(|&slot| matches!(graph.event(slot).kind, Kind::Write | Kind::UpdateWrite)).collect();
    writes.sort_unstable_by_key(|&write| graph.place(write));
    for write in writes {
        co[usize::from(graph.event(write).location)].extend(execution.find(graph.key(write)));
    }
    let (mut inquiry, mut budget) = (Inquiry::default(), Budget::unlimited());
    let fits = plan.model.decide(&execution, Some(&co), LIMIT, &mut inquiry, &mut budget);
    assert_ne!(fits, Ok(Decision::No), "{co:?} of {execution:?} under {}", plan.model);
}

/// Compares the writes that were found to be last at some locations with those that the model knows.
pub(super) fn compare_lasts<const W: usize>(
    graph: &Graph<W>,
    plan: &Plan,
    threads: &Threads,
    locations: &[u16],
    (lasts, all): (&Rows<Slot>, Decision),
) where
    Bits<W>: Lists,
{
    let (execution, co) = graph.execution(plan, threads, &graph.live, None, Begun::Unwritten);
    assert_eq!(co, None);
    let locations: Vec<_> = locations.iter().map(|&location| Location(location.into())).collect();
    let (mut inquiry, mut budget) = (Inquiry::default(), Budget::unlimited());
    let right = plan.model.final_writes_within(&execution, &locations, LIMIT, &mut inquiry, &mut budget);
    let Ok((right, Decision::Yes)) = right else { return };
    let right: BTreeSet<Vec<EventKey>> =
        right.iter().map(|lasts| lasts.iter().map(|&e| execution.event(e).key).collect()).collect();
    let keys = lasts.iter().map(|lasts| lasts.iter().map(|&slot| graph.key(slot)).collect());
    assert_eq!(keys.collect::<BTreeSet<Vec<EventKey>>>(), right, "{} of {execution:?}", plan.model);
    assert_eq!((lasts.len(), all), (right.len(), Decision::Yes), "each once");
    LASTS.with(|compared| {
        let (all, several) = compared.get();
        compared.set((all + 1, several + u64::from(right.len() > 1)));
    });
}

fn answers_are_the_models(program: &Program, steps: usize) -> Result<(), String> {
    let limits = Limits {
        unroll: UNROLL,
        local_steps: 1000,
        events: 1000,
        unroll_spins: true,
        search: u64::MAX,
        table: u64::MAX,
    };
    let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
    for model in Model::ALL {
        let explorer = Algorithm::Trust.explorer(Arc::clone(&code), model, Options::within(limits));
        let mut explorer = explorer.map_err(|error| error.to_string())?;
        for _ in 0..steps {
            if explorer.advance() == Step::Done {
                break;
            }
        }
        // Who walks asks for final states, too.
        let walk = Algorithm::Trust.walk(
            Arc::clone(&code),
            Arc::new(program.clone()),
            model,
            Options::within(limits),
            &Work::default(),
        );
        if let Some(mut walk) = walk {
            walk.run(steps as u64 / 2);
        }
    }
    Ok(())
}

/// A program of accesses of which many are SC, or all, and of SC fences.
fn sc_program(seed: u64) -> String {
    let is_sc_alone = seed % 5 == 4;
    let mut random = Random::new(seed);
    let (fences, updates) = ([0, 15, 30, 45][random.below(4) as usize], [0, 0, 15][random.below(3) as usize]);
    let modes: [&[&str]; 3] = [&["rlx"], &["rlx", "acq", "rel", "sc", "sc"], &["rlx", "acq", "rel"]];
    let modes = modes[if fences == 0 { 1 } else { random.below(3) as usize }];
    let mut operation = |at: u64| {
        let location = ["x", "y", "z"][random.below(3) as usize];
        let mode = modes[random.below(modes.len() as u64) as usize];
        match random.below(100) {
            share if share < fences => "fence sc".to_owned(),
            share if share < fences + updates && is_sc_alone => format!("fai({location}, {at}, sc)"),
            share if share < fences + updates => format!("fai({location})"),
            share if share % 2 == 0 && is_sc_alone => format!("{location} :=sc {at}"),
            _ if is_sc_alone => format!("r{at} :=sc {location}"),
            share if share % 2 == 0 => format!("{location} :={} {at}", if mode == "acq" { "rlx" } else { mode }),
            _ => format!("r{at} :={} {location}", if mode == "rel" { "rlx" } else { mode }),
        }
    };
    let threads = 2 + seed % 3;
    let thread = |thread| (1..=12 / threads).map(|at| operation(thread * 10 + at)).collect::<Vec<_>>().join("; ");
    (0..threads).map(thread).collect::<Vec<_>>().join(" || ")
}

/// Where SC events are in an order.
#[test]
fn answers_about_sc_events() {
    let seeds = seeds(200);
    let programs = seeds.clone().count() as u64;
    for seed in seeds {
        let text = sc_program(seed);
        let program = parse(&text).unwrap_or_else(|error| panic!("{error:?}: {text}")).program;
        answers_are_the_models(&program, 1_000).unwrap_or_else(|error| panic!("{error}: {text}"));
    }
    let (all, negative) = COMPARED.with(Cell::get);
    println!("{all} answers, {negative} of them no");
    assert!(negative > programs && all > 2 * negative);
    let (all, several) = LASTS.with(Cell::get);
    println!("last writes of {all} executions, {several} of them with several combinations");
    assert!(all > programs && several > programs / 4);
}

/// Both parts of a read-modify-write were taken for two events in po once.
#[test]
fn answers_about_read_modify_writes_in_sc_order() {
    for text in [
        "a := xchg(y, 1, sc) || r0 :=sc x; y :=sc 2; x :=sc 1 || x :=sc 2; r1 := fai(y, 1, acqrel)",
        "a := xchg(y, 1, sc) || b :=acq y; c :=sc x || x :=sc 1; d :=sc y",
    ] {
        let program = parse(text).expect("these are programs").program;
        assert_eq!(answers_are_the_models(&program, 100_000), Ok(()), "{text}");
    }
}

/// Runs that were mended wrongly once.
#[test]
fn answers_about_mended_runs() {
    for text in [
        // The source came behind the last write that its read knew of, and another one went along and was still behind it.
        "x := 1; x := 2; y := 1 || x := 3; a := y; b := x || c := fai(x)",
        "x := 1; lock m; x := 2; a := y; unlock m || x := 1; b := y; lock m; c := x; unlock m || d := fai(x)",
        // Nothing comes in front of a chain that begins at the initial write, which was taken for a reason to refuse what is last.
        "a :=sc x; y :=rel 2; b := z; y :=sc 4 || y :=sc 11; fai(x); fence sc; c := z || fai(x); fence sc; fai(z); d :=acq z",
    ] {
        let program = parse(text).expect("these are programs").program;
        assert_eq!(answers_are_the_models(&program, 100_000), Ok(()), "{text}");
    }
}

/// Of random programs, of which every fiftieth is larger than what the oracles take.
#[test]
fn answers_about_random_programs() {
    let programs = seeds(5_000).count() as u64;
    for_all(seeds(5_000), |program| answers_are_the_models(program, 3_000));
    for_all_clients(seeds(1_000), |program| answers_are_the_models(program, 3_000));
    for seed in seeds(100) {
        let text = large(seed);
        if text.len() < 700 {
            let program = parse(&text).expect("random programs are programs").program;
            answers_are_the_models(&program, 200).unwrap_or_else(|error| panic!("{error}: {text}"));
        }
    }
    let (all, negative) = COMPARED.with(Cell::get);
    println!("{all} answers, {negative} of them no");
    assert!(negative > programs && all > 2 * negative);
    let (all, several) = LASTS.with(Cell::get);
    println!("last writes of {all} executions, {several} of them with several combinations");
    assert!(all > programs && several > programs / 4);
}
