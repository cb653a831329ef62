//! GenMC with co: named programs, traces, and what its steps show.

use litmoscope::explore::brute_force::{self, candidates_up_to};
use litmoscope::explore::{Algorithm, Options, Step};
use litmoscope::model::Model;
use litmoscope::program::Code;
use litmoscope::session::{Session, Settings, ViewRequest};
use litmoscope::testing::{for_all, seeds};
use litmoscope_tests::differential::found;
use litmoscope_tests::programs::named;
use litmoscope_tests::random::{CAP, LIMITS};
use litmoscope_tests::{TABULATED, check_blocking, counts, program};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const OPTIONS: Options = Options::within(LIMITS);

/// The published and the computed numbers of the named programs.
#[test]
fn named_programs() {
    for litmus in named() {
        let code = Arc::new(program(&litmus.text).1);
        let counts = TABULATED.map(|model| {
            let counts = counts(&code, model, Algorithm::GenmcCo, OPTIONS);
            assert_eq!(counts.duplicates, 0, "{} under {model:?}", litmus.name);
            counts.executions() as usize
        });
        assert_eq!(counts, litmus.coherence, "{}", litmus.name);
    }
}

/// Stuck and erroneous executions among them: these programs write each location once.
#[test]
fn stuck_and_erroneous_executions() {
    check_blocking(Algorithm::GenmcCo, OPTIONS);
}

/// As many executions under SC as there are Mazurkiewicz traces: runs of threads that take turns, told apart by the
/// order of conflicting accesses alone.
#[test]
fn executions_under_sc_are_mazurkiewicz_traces() {
    let mut traces = 0;
    for_all(seeds(625), |program| {
        let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
        let Some(expected) = mazurkiewicz::traces(&code, LIMITS, CAP) else { return Ok(()) };
        let (found, _) = found(Algorithm::GenmcCo, Model::SC, &code, OPTIONS);
        traces += expected;
        if found.len() == expected { Ok(()) } else { Err(format!("{} instead of {expected} traces", found.len())) }
    });
    println!("{traces} traces");
    assert!(traces > 0);
}

/// Interleavings, written down as traces.
mod mazurkiewicz {
    use litmoscope::graph::{EventKey, ThreadId};
    use litmoscope::program::{Action, Code, Limits, Location, ThreadState, Value};
    use std::collections::BTreeSet;

    /// What a trace consists of: each event, and the last conflicting ones in front of it.
    type Trace = BTreeSet<(EventKey, Option<Location>, Vec<EventKey>)>;

    #[derive(Clone)]
    struct Run {
        threads: Vec<ThreadState>,
        serials: Vec<u32>,
        ended: Vec<bool>,
        memory: Vec<Value>,
        /// By location: all accesses so far, and whether they write.
        accesses: Vec<Vec<(EventKey, bool)>>,
        trace: Trace,
    }

    /// The number of traces of a program that is run in every way; `None` if that takes more than `cap` states.
    pub fn traces(code: &Code, limits: Limits, cap: usize) -> Option<usize> {
        let start = Run {
            threads: (0..code.threads.len()).map(|thread| ThreadState::new(code, thread)).collect(),
            serials: vec![0; code.threads.len()],
            ended: vec![false; code.threads.len()],
            memory: code.initial.clone(),
            accesses: vec![Vec::new(); code.initial.len()],
            trace: Trace::new(),
        };
        let (mut seen, mut whole) = (BTreeSet::new(), 0);
        let mut work = vec![start];
        while let Some(run) = work.pop() {
            let nexts: Vec<_> = (0..code.threads.len()).filter_map(|thread| run.step(code, thread, limits)).collect();
            whole += usize::from(nexts.is_empty());
            // Equal traces are equal runs, so that each trace is gone on from once.
            work.extend(nexts.into_iter().filter(|next| seen.insert(next.trace.clone())));
            if seen.len() > cap {
                return None;
            }
        }
        Some(whole)
    }

    impl Run {
        fn step(&self, code: &Code, thread: usize, limits: Limits) -> Option<Self> {
            if self.ended[thread] {
                return None;
            }
            let mut next = self.clone();
            let action = next.threads[thread].advance(code, thread, limits);
            next.serials[thread] += 1;
            let key = EventKey { thread: ThreadId(thread as u16), serial: next.serials[thread] };
            let (location, read, written) = match action {
                Action::Finished => return None,
                Action::Read { location, .. } => (Some(location), Some(self.memory[location.0 as usize]), None),
                Action::Write { location, value, .. } => (Some(location), None, Some(value)),
                Action::Update { location, update, .. } => {
                    let read = self.memory[location.0 as usize];
                    (Some(location), Some(read), update.written(read))
                }
                Action::Fence(_) => (None, None, None),
                _ => {
                    next.ended[thread] = true;
                    next.trace.insert((key, None, Vec::new()));
                    return Some(next);
                }
            };
            next.threads[thread].resume(code, thread, read);
            let mut before = Vec::new();
            if let Some(location) = location {
                let accesses = &mut next.accesses[location.0 as usize];
                before.extend(accesses.iter().filter(|(_, writes)| *writes || written.is_some()).map(|(key, _)| *key));
                accesses.push((key, written.is_some()));
                if let Some(value) = written {
                    next.memory[location.0 as usize] = value;
                }
            }
            before.sort_unstable();
            next.trace.insert((key, location, before));
            Some(next)
        }
    }

    #[test]
    fn counts() {
        for (text, expected) in [("x := 1 || x := 2", 2), ("x := 1 || y := 1", 1), ("a := x || b := x", 1)] {
            let program = litmoscope::syntax::parse(text).expect("a program").program;
            let code = Code::compile(&program).expect("can be explored");
            assert_eq!(traces(&code, Limits::default(), 1000), Some(expected), "{text}");
        }
    }
}

/// Plain GenMC finds the same executions if co is forgotten, and the same final states.
#[test]
fn without_co_it_is_genmc() {
    for_all(seeds(1_250), |program| {
        let code = Arc::new(Code::compile(program).map_err(|error| error.to_string())?);
        if candidates_up_to(2000, &code, LIMITS).is_err() {
            return Ok(());
        }
        for model in Model::ALL {
            let run = |algorithm| {
                let settings = Settings { text: String::new(), model, algorithm, options: OPTIONS, position: 0 };
                let mut session =
                    Session::with_program(settings, program.clone(), Vec::new()).expect("can be explored");
                session.run(u64::MAX);
                let outcomes: BTreeMap<_, _> =
                    session.results().outcomes().map(|(state, outcome)| (state.to_vec(), outcome.satisfies)).collect();
                let faults: BTreeSet<_> = session.results().faults().map(|(fault, _)| fault.clone()).collect();
                let condition = session.results().condition(program, session.coverage()).map(|c| (c.holds, c.decided));
                (outcomes, faults, condition, session.counts().bounded > 0)
            };
            let (plain, co) = (run(Algorithm::Genmc), run(Algorithm::GenmcCo));
            if plain != co {
                return Err(format!("{model:?}: plain {plain:?}, with co {co:?}"));
            }
            let (found, _) = found(Algorithm::GenmcCo, model, &code, OPTIONS);
            let found: BTreeSet<_> = found.into_iter().map(|(graph, _)| graph).collect();
            if found != brute_force::explore(model, &code, OPTIONS).expect("small") {
                return Err(format!("{model:?}: other plain executions"));
            }
        }
        Ok(())
    });
}

/// Every step has an explanation and a drawing, with the chosen co in it, whatever the model.
#[test]
fn every_step_is_shown() {
    let (mut steps, mut dropped, mut edges) = (BTreeMap::<_, u32>::new(), 0, 0);
    for_all(seeds(25), |program| {
        for model in Model::ALL {
            let settings =
                Settings { text: String::new(), model, algorithm: Algorithm::GenmcCo, options: OPTIONS, position: 0 };
            let mut session = Session::with_program(settings, program.clone(), Vec::new()).expect("can be explored");
            while session.forward() && session.position() < 1000 {
                let view = session.view(&ViewRequest::default());
                *steps.entry(view.step_name.clone()).or_default() += 1;
                if view.explanation.is_empty() {
                    return Err(format!("{:?} is not explained", view.step));
                }
                if view.step == Some(Step::Drop) {
                    let violation = view.violation.ok_or("a graph is dropped without a violation")?;
                    dropped += u32::from(violation.remark.contains("the chosen co"));
                }
                edges += view.drawing.edges.len();
            }
        }
        Ok(())
    });
    println!("{steps:?}, {dropped} dropped because of the co chosen, {edges} edges");
    assert!(["place write", "push placement", "take placement"].iter().all(|name| steps.contains_key(*name)));
    assert!(dropped > 0);
}
