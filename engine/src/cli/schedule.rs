//! `litmoscope schedule`

pub mod trace;

use super::input::{Input, Messages, read_text};
use super::save::replace;
use super::{Failure, budget, interruption, is_exhausted, print, print_json};
use crate::{ScheduleCheck, ScheduleExport, ScheduleRun, ScheduleTask, ScheduleVerify, Schedules};
use litmoscope::budget::{Budget, Meter, Paused};
use litmoscope::program::system::{States, System, Term};
use litmoscope::schedules::art::Art;
use litmoscope::schedules::check::{Property, properties};
use litmoscope::schedules::dot;
use litmoscope::schedules::export::{Language, Source, export};
use litmoscope::schedules::formula::{Predicates, Symbolic, Variable};
use litmoscope::schedules::impact::{Choice, Options, Step, Verdict, Verifier};
use litmoscope::schedules::improve;
use litmoscope::schedules::interpret::{End, Interpreter, Ran, Running};
use litmoscope::schedules::report::{CounterexampleJson, Reporter, ResultJson};
use litmoscope::schedules::saved::{self, MAX_TEXT, Saved};
use litmoscope::schedules::sections::{self, Opt, ProgramSchedule};
use litmoscope::schedules::subject::Subject;
use litmoscope::words::count;
use serde::Serialize;
use std::sync::Arc;

pub fn schedule(task: &ScheduleTask) -> Result<u8, Failure> {
    match task {
        ScheduleTask::Verify(task) => verify(task),
        ScheduleTask::Trace(task) => trace::trace(task),
        ScheduleTask::Check(task) => check(task),
        ScheduleTask::Export(task) => exported(task),
        ScheduleTask::Run(task) => run(task),
    }
}

/// What a file has a program for; `None` if there are no schedules for it, which was said.
fn subject(input: &Input) -> Option<Subject> {
    let parsed = input.parse(Messages::ShortNotes)?;
    Subject::of(parsed.program).map_err(|wrong| input.show(&[wrong])).ok()
}

fn system(input: &Input) -> Option<Arc<System>> {
    subject(input).map(|subject| subject.system)
}

#[derive(Serialize)]
struct VerifyJson {
    verdict: &'static str,
    iterations: u32,
    nodes: usize,
    results: Vec<ResultJson>,
    counterexamples: Vec<CounterexampleJson>,
}

/// What labels are.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum BackEnd {
    /// Formulas over integers of 64 bits, decided bit by bit.
    Formulas,
    /// Exact sets of values. All variables together may have a million valuations at most.
    Sets,
}

fn verify(task: &ScheduleVerify) -> Result<u8, Failure> {
    let input = Input::read(&task.file)?;
    let Some(system) = system(&input) else { return Ok(2) };
    match system.initial_states() {
        Ok(states) if states.is_empty() => {
            return Err(Failure("nothing can begin: no values of the inputs are as `assuming` says".to_owned()));
        }
        _ => {}
    }
    let choice = if task.round_robin { Choice::RoundRobin } else { Choice::LeastRecent };
    let options = Options {
        choice,
        reduction: !task.no_reduction,
        iterations: task.iterations.unwrap_or(u32::MAX),
        complete: task.complete,
        ..Options::default()
    };
    match task.back_end {
        BackEnd::Formulas => verify_with(task, &input, Verifier::symbolic(system, options)),
        BackEnd::Sets => {
            let verifier = Verifier::sets(system, options)
                .map_err(|wrong| Failure(format!("{wrong}: verify with `--back-end formulas`")))?;
            verify_with(task, &input, verifier)
        }
    }
}

fn verify_with<P: Predicates>(task: &ScheduleVerify, input: &Input, mut verifier: Verifier<P>) -> Result<u8, Failure> {
    let mut budget = budget(task.timeout)?;
    let system = Arc::clone(verifier.system());
    let reporter = Reporter { system: &system, text: &input.text };
    let (mut results, mut counterexamples) = (Vec::new(), Vec::new());
    let mut stopped = false;
    loop {
        let step = match verifier.advance(&mut budget) {
            Ok(Some(step)) => step,
            Ok(None) => break,
            Err(Paused) => {
                stopped = true;
                break;
            }
        };
        match step {
            Step::Counterexample(found) => {
                if task.json {
                    counterexamples.push(reporter.counterexample(&found));
                } else {
                    print(&reporter.counterexample_text(&found))?;
                }
            }
            Step::Result(at) => {
                let root = verifier.found()[at].art.as_ref().and_then(|art| art.nodes.first());
                let root = root.map(|root| Arc::clone(&root.label));
                let label = root.and_then(|root| label(&mut verifier, &root, &mut budget));
                let found = &verifier.found()[at];
                if task.json {
                    results.push(reporter.result(found, label));
                } else {
                    print(&reporter.result_text(found, label))?;
                }
            }
            _ => {}
        }
    }
    if let Some(file) = &task.save {
        let Some(art) = verifier.found().iter().rev().find_map(|found| found.art.clone()) else {
            return Err(Failure(format!("no schedule is proven right, so nothing is saved to {}", file.display())));
        };
        replace(file, json(&system, input, art)?.as_bytes())?;
    }
    if let Some(file) = &task.dot {
        let tree = verifier.tree();
        let text = dot::tree(&reporter, &tree, |node| {
            tree.get(node.0 as usize).map_or_else(String::new, |node| words(&mut verifier, &node.label, &mut budget))
        });
        replace(file, text.as_bytes())?;
    }
    let verdict = verifier.verdict();
    let is_wrong = !verifier.counterexamples().is_empty();
    if task.json {
        let verdict = verdict.map_or("bounded", Verdict::name);
        let (iterations, nodes) = (verifier.iterations(), verifier.size());
        print_json(&VerifyJson { verdict, iterations, nodes, results, counterexamples })?;
    } else {
        let ended = match verdict {
            Some(Verdict::Unsafe) if task.complete => {
                "A schedule goes wrong. Whether others never do was not looked at, as `--complete` says.".to_owned()
            }
            Some(verdict) => verdict.sentence().to_owned(),
            None if stopped && is_exhausted() => format!("Bounded: {:?}.", interruption()),
            None => "Bounded: it was stopped before all was looked at.".to_owned(),
        };
        print(&format!("{ended}\n"))?;
    }
    Ok(match verdict {
        Some(Verdict::Safe) => 0,
        _ if is_wrong => 1,
        _ => 3,
    })
}

/// Units of work that a shorter text is worth.
const UNITS: u64 = 1 << 24;

/// What a predicate says, as people read it.
fn words<P: Predicates>(verifier: &mut Verifier<P>, predicate: &P::Predicate, budget: &mut Budget) -> String {
    let names = Arc::clone(verifier.system());
    let name = |variable: Variable| names.names.get(variable.0 as usize).cloned().unwrap_or_default();
    let text = verifier.predicates().text(predicate, &name, &mut Meter::new(UNITS, 0, budget));
    text.map_or_else(|Paused| "...".to_owned(), |(text, _)| text)
}

/// What a label of a result says, as people read it.
fn label<P: Predicates>(verifier: &mut Verifier<P>, label: &Arc<Term>, budget: &mut Budget) -> Option<String> {
    let own = verifier.system().variables.len() as u32;
    let predicates = verifier.predicates();
    let term = predicates.store().translate(label, &|at| Variable(own + at), &mut Default::default());
    let formula = predicates.store().nonzero(term);
    let predicate = predicates.of(formula, &mut Meter::new(UNITS, 0, budget)).ok()?;
    Some(words(verifier, &predicate, budget))
}

/// A tree as JSON, with the program that it is for.
fn json(system: &System, input: &Input, art: Art) -> Result<String, Failure> {
    let written = saved::write(system, &Saved::Art(art), Some(&input.text));
    written.map_err(|why| Failure(format!("the schedules can't be written: {why}")))
}

/// What a file has saved for a program.
fn read_saved(system: &System, file: &std::path::Path) -> Result<Saved, Failure> {
    let (name, text) = read_text(file, MAX_TEXT)?;
    saved::read(system, &text).map_err(|wrong| Failure(format!("{name}: {wrong}")))
}

fn check(task: &ScheduleCheck) -> Result<u8, Failure> {
    let input = Input::read(&task.file)?;
    let Some(system) = system(&input) else { return Ok(2) };
    let saved = read_saved(&system, &task.result)?;
    let mut budget = budget(task.timeout)?;
    let too_many = |why: &str| {
        print(&format!("Not known: {why}.\n"))?;
        Ok(3)
    };
    let mut states = States::start(&system).map_err(|wrong| Failure(wrong.to_string()))?;
    let limit = task.states as usize;
    match states.go_on(&system, limit, &mut budget) {
        Ok(Ok(())) => {}
        Ok(Err(wrong)) => return too_many(&wrong.to_string()),
        Err(Paused) => return too_many("it was stopped before all states were looked at"),
    }
    let ivr = saved.ivr(&system);
    let found = match properties(&system, &states, Some(&ivr), limit.saturating_mul(8), &mut budget) {
        Ok(found) => found,
        Err(wrong) => return too_many(&wrong.to_string()),
    };
    let reporter = Reporter { system: &system, text: &input.text };
    let mut text = String::new();
    for property in Property::ALL {
        text += &reporter.property_text(property, found.failure(property));
    }
    print(&text)?;
    Ok(u8::from(!found.holds(Property::Fair)))
}

/// What is exported.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum To {
    /// A program in Rust.
    Rust,
    /// A program in C11.
    C,
    /// The schedules as JSON.
    Json,
    /// The schedules as a tree for Graphviz.
    Dot,
}

/// A tree of schedules that are proven right; or a verifier that found none.
fn tree(
    task: &Schedules,
    system: &Arc<System>,
    budget: &mut Budget,
) -> Result<Result<Art, Box<Verifier<Symbolic>>>, Failure> {
    if let Some(file) = &task.result {
        return match read_saved(system, file)? {
            Saved::Art(art) => Ok(Ok(art)),
            Saved::Ivr(_) => Err(Failure(format!(
                "{} has no tree: what was written by hand can be checked, but not run or exported",
                file.display()
            ))),
        };
    }
    let options = Options { iterations: task.iterations, ..Options::default() };
    let mut verifier = Verifier::symbolic(Arc::clone(system), options);
    while let Ok(Some(_)) = verifier.advance(budget) {}
    let art = verifier.found().iter().rev().find_map(|found| found.art.clone());
    Ok(art.ok_or_else(|| Box::new(verifier)))
}

fn opt(task: &Schedules) -> Opt {
    match task.opt {
        0 => Opt::Opt0,
        1 => Opt::Opt1,
        _ => Opt::Opt2,
    }
}

fn program_schedule(task: &Schedules, system: &System, art: &Art) -> Result<ProgramSchedule, Failure> {
    let options = sections::Options { opt: opt(task), keeps_all: false };
    ProgramSchedule::of(system, art, options).map_err(|wrong| Failure(wrong.to_string()))
}

fn exported(task: &ScheduleExport) -> Result<u8, Failure> {
    let input = Input::read(&task.schedules.file)?;
    let Some(system) = system(&input) else { return Ok(2) };
    let mut budget = budget(None)?;
    let schedule = if task.unconstrained {
        None
    } else if task.counterexample {
        let mut verifier = Verifier::symbolic(Arc::clone(&system), Options::default());
        while verifier.counterexamples().is_empty() && matches!(verifier.advance(&mut budget), Ok(Some(_))) {}
        let Some(found) = verifier.counterexamples().first() else {
            return Err(Failure("no run that goes wrong was found".to_owned()));
        };
        let steps: Vec<_> = found.steps.iter().map(|(step, _)| *step).collect();
        Some(ProgramSchedule::chain(&system, &steps))
    } else {
        let Ok(art) = tree(&task.schedules, &system, &mut budget)? else {
            return Err(Failure("no schedule is proven right: ask for more iterations".to_owned()));
        };
        if task.to == To::Json {
            print(&json(&system, &input, art)?)?;
            return Ok(0);
        }
        if task.to == To::Dot {
            let reporter = Reporter { system: &system, text: &input.text };
            let mut verifier = Verifier::symbolic(Arc::clone(&system), Options::default());
            let text = dot::art(&reporter, &art, |node| {
                let node = Arc::clone(&art.node(node).label);
                label(&mut verifier, &node, &mut budget).unwrap_or_default()
            });
            print(&text)?;
            return Ok(0);
        }
        Some(program_schedule(&task.schedules, &system, &art)?)
    };
    let language = match task.to {
        To::Rust => Language::Rust,
        To::C => Language::C,
        To::Json | To::Dot => {
            return Err(Failure("JSON and trees are for schedules that are proven right alone".to_owned()));
        }
    };
    let source = Source { system: &system, text: &input.text, schedule: schedule.as_ref() };
    print(&export(&source, language).map_err(|wrong| Failure(wrong.to_string()))?)?;
    Ok(0)
}

fn run(task: &ScheduleRun) -> Result<u8, Failure> {
    let input = Input::read(&task.schedules.file)?;
    let Some(system) = system(&input) else { return Ok(2) };
    if task.while_verifying {
        return run_while_verifying(task, &input, &system);
    }
    let schedule = if task.unconstrained {
        ProgramSchedule::chain(&system, &[])
    } else {
        let Ok(art) = tree(&task.schedules, &system, &mut budget(None)?)? else {
            print(NO_SCHEDULE)?;
            return Ok(3);
        };
        program_schedule(&task.schedules, &system, &art)?
    };
    let running = running(task);
    let interpreter = Interpreter::new(&system, &schedule, running).map_err(|wrong| Failure(wrong.to_string()))?;
    let ran = interpreter.run();
    say_how_it_ran(&system, &input, &ran, "")
}

const NO_SCHEDULE: &str =
    "No schedule is proven right, so there is none to keep to: ask for more iterations, or run it --unconstrained.\n";

fn running(task: &ScheduleRun) -> Running {
    Running {
        time: task.seconds,
        unconstrained: task.unconstrained,
        monitored: task.monitor && !task.unconstrained,
        seed: task.seed,
    }
}

/// Prints the useful rounds of each thread, and how the run ended. Returns the exit status.
fn say_how_it_ran(system: &System, input: &Input, ran: &Ran, between: &str) -> Result<u8, Failure> {
    let reporter = Reporter { system, text: &input.text };
    let mut text = String::new();
    for (thread, rounds) in system.threads.iter().zip(&ran.rounds) {
        text += &format!("{}: {}\n", thread.name, count(*rounds, "useful round"));
    }
    let (said, status) = match &ran.end {
        End::Wrong { thread, point, .. } => (reporter.wrong_at(*thread, *point), 1),
        End::Ended(ended) => reporter.ended(ended),
    };
    print(&format!("{text}{between}{said}\n"))?;
    Ok(status)
}

fn run_while_verifying(task: &ScheduleRun, input: &Input, system: &Arc<System>) -> Result<u8, Failure> {
    let mut budget = budget(None)?;
    let verifier = Verifier::symbolic(Arc::clone(system), Options::default());
    let improved = improve::run_while_verifying(verifier, opt(&task.schedules), running(task), &mut budget, |_, _| {});
    let Some(improved) = improved.map_err(|wrong| Failure(wrong.to_string()))? else {
        print(NO_SCHEDULE)?;
        return Ok(3);
    };
    let verifier = match improved.verdict {
        Some(verdict) => format!("has come to its verdict: {}", verdict.name()),
        None => "was still at it".to_owned(),
    };
    let said = format!(
        "The verifier found {} more, of which {} took over during the run; it {verifier}.\n",
        count(improved.offered, "set") + " of schedules",
        improved.ran.swaps
    );
    say_how_it_ran(system, input, &improved.ran, &said)
}
