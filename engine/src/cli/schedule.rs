//! `litmoscope schedule`

use super::input::{Input, Messages, read_text};
use super::save::replace;
use super::{Failure, budget, interruption, is_exhausted, print, print_json};
use crate::{ScheduleCheck, ScheduleExport, ScheduleRun, ScheduleTask, ScheduleVerify, Schedules};
use litmoscope::budget::{Budget, Meter, Paused};
use litmoscope::program::Code;
use litmoscope::program::system::{States, System};
use litmoscope::schedules::art::Art;
use litmoscope::schedules::check::{Property, properties};
use litmoscope::schedules::export::{Language, Source, export};
use litmoscope::schedules::formula::{Predicates, Symbolic};
use litmoscope::schedules::impact::{Choice, Options, Step, Verdict, Verifier};
use litmoscope::schedules::interpret::{End, Interpreter, Running};
use litmoscope::schedules::report::{CounterexampleJson, Reporter, ResultJson};
use litmoscope::schedules::saved::{self, MAX_TEXT, Saved};
use litmoscope::schedules::sections::{self, Opt, ProgramSchedule};
use litmoscope::syntax::Diagnostic;
use serde::Serialize;
use std::sync::Arc;

pub fn schedule(task: &ScheduleTask) -> Result<u8, Failure> {
    match task {
        ScheduleTask::Verify(task) => verify(task),
        ScheduleTask::Check(task) => check(task),
        ScheduleTask::Export(task) => exported(task),
        ScheduleTask::Run(task) => run(task),
    }
}

/// A program's transition system; `None` if there is none, which was said.
fn system(input: &Input) -> Option<Arc<System>> {
    let parsed = input.parse(Messages::ShortNotes)?;
    let wrong = match Code::compile(&parsed.program) {
        Err(error) => Diagnostic::error(error.to_string(), error.span()),
        Ok(code) => match System::of(&parsed.program, &code) {
            Ok(system) => return Some(Arc::new(system)),
            Err(error) => Diagnostic::error(error.to_string(), error.span()),
        },
    };
    input.show(&[wrong]);
    None
}

#[derive(Serialize)]
struct VerifyJson {
    verdict: &'static str,
    iterations: u32,
    nodes: usize,
    results: Vec<ResultJson>,
    counterexamples: Vec<CounterexampleJson>,
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
    let mut budget = budget(task.timeout)?;
    let choice = if task.round_robin { Choice::RoundRobin } else { Choice::LeastRecent };
    let options = Options {
        choice,
        reduction: !task.no_reduction,
        iterations: task.iterations.unwrap_or(u32::MAX),
        ..Options::default()
    };
    let mut verifier = Verifier::symbolic(Arc::clone(&system), options);
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
                let label = label(&mut verifier, at, &mut budget);
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
        replace(file, json(&system, &input, art)?.as_bytes())?;
    }
    let verdict = verifier.verdict();
    let is_wrong = !verifier.counterexamples().is_empty();
    if task.json {
        let verdict = verdict.map_or("bounded", Verdict::name);
        let (iterations, nodes) = (verifier.iterations(), verifier.size());
        print_json(&VerifyJson { verdict, iterations, nodes, results, counterexamples })?;
    } else {
        let ended = match verdict {
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

/// What holds at the root of a result's tree, as people read it.
fn label(verifier: &mut Verifier<Symbolic>, result: usize, budget: &mut Budget) -> Option<String> {
    /// Units of work that a shorter text is worth.
    const UNITS: u64 = 1 << 24;
    let label = verifier.found()[result].art.as_ref()?.nodes.first()?.label.clone();
    let names = Arc::clone(verifier.system());
    let symbolic = verifier.predicates();
    let own = names.variables.len() as u32;
    let input = |at: u32| litmoscope::schedules::formula::Variable(own + at);
    let term = symbolic.store().translate(&label, &input, &mut Default::default());
    let formula = symbolic.store().nonzero(term);
    let name = |variable: litmoscope::schedules::formula::Variable| {
        names.names.get(variable.0 as usize).cloned().unwrap_or_default()
    };
    symbolic.text(&formula, &name, &mut Meter::new(UNITS, 0, budget)).ok().map(|(text, _)| text)
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
}

/// A tree of schedules that are proven right; or a verifier that found none.
fn tree(task: &Schedules, system: &Arc<System>) -> Result<Result<Art, Box<Verifier<Symbolic>>>, Failure> {
    if let Some(file) = &task.result {
        return match read_saved(system, file)? {
            Saved::Art(art) => Ok(Ok(art)),
            Saved::Ivr(_) => Err(Failure(format!(
                "{} has no tree: what was written by hand can be checked, but not run or exported",
                file.display()
            ))),
        };
    }
    let mut budget = budget(None)?;
    let options = Options { iterations: task.iterations, ..Options::default() };
    let mut verifier = Verifier::symbolic(Arc::clone(system), options);
    while let Ok(Some(_)) = verifier.advance(&mut budget) {}
    let art = verifier.found().iter().rev().find_map(|found| found.art.clone());
    Ok(art.ok_or_else(|| Box::new(verifier)))
}

fn program_schedule(task: &Schedules, system: &System, art: &Art) -> Result<ProgramSchedule, Failure> {
    let opt = match task.opt {
        0 => Opt::Opt0,
        1 => Opt::Opt1,
        _ => Opt::Opt2,
    };
    let options = sections::Options { opt, keeps_all: false };
    ProgramSchedule::of(system, art, options).map_err(|wrong| Failure(wrong.to_string()))
}

fn exported(task: &ScheduleExport) -> Result<u8, Failure> {
    let input = Input::read(&task.schedules.file)?;
    let Some(system) = system(&input) else { return Ok(2) };
    let schedule = if task.unconstrained {
        None
    } else if task.counterexample {
        let mut budget = budget(None)?;
        let mut verifier = Verifier::symbolic(Arc::clone(&system), Options::default());
        while verifier.counterexamples().is_empty() && matches!(verifier.advance(&mut budget), Ok(Some(_))) {}
        let Some(found) = verifier.counterexamples().first() else {
            return Err(Failure("no run that goes wrong was found".to_owned()));
        };
        let steps: Vec<_> = found.steps.iter().map(|(step, _)| *step).collect();
        Some(ProgramSchedule::chain(&system, &steps))
    } else {
        let Ok(art) = tree(&task.schedules, &system)? else {
            return Err(Failure("no schedule is proven right: ask for more iterations".to_owned()));
        };
        if task.to == To::Json {
            print(&json(&system, &input, art)?)?;
            return Ok(0);
        }
        Some(program_schedule(&task.schedules, &system, &art)?)
    };
    let language = match task.to {
        To::Rust => Language::Rust,
        To::C => Language::C,
        To::Json => return Err(Failure("JSON is for schedules that are proven right alone".to_owned())),
    };
    let source = Source { system: &system, text: &input.text, schedule: schedule.as_ref() };
    print(&export(&source, language).map_err(|wrong| Failure(wrong.to_string()))?)?;
    Ok(0)
}

fn run(task: &ScheduleRun) -> Result<u8, Failure> {
    let input = Input::read(&task.schedules.file)?;
    let Some(system) = system(&input) else { return Ok(2) };
    let schedule = if task.unconstrained {
        ProgramSchedule::chain(&system, &[])
    } else {
        let Ok(art) = tree(&task.schedules, &system)? else {
            print(
                "No schedule is proven right, so there is none to keep to: ask for more iterations, or run it --unconstrained.\n",
            )?;
            return Ok(3);
        };
        program_schedule(&task.schedules, &system, &art)?
    };
    let running = Running {
        time: task.seconds,
        unconstrained: task.unconstrained,
        monitored: task.monitor && !task.unconstrained,
        seed: task.seed,
    };
    let interpreter = Interpreter::new(&system, &schedule, running).map_err(|wrong| Failure(wrong.to_string()))?;
    let ran = interpreter.run();
    let reporter = Reporter { system: &system, text: &input.text };
    let mut text = String::new();
    for (thread, rounds) in system.threads.iter().zip(&ran.rounds) {
        text += &format!("{}: {}\n", thread.name, litmoscope::words::count(*rounds, "useful round"));
    }
    let (said, status) = match &ran.end {
        End::Wrong { thread, point, .. } => (reporter.wrong_at(*thread, *point), 1),
        End::Ended(ended) => reporter.ended(ended),
    };
    print(&format!("{text}{said}\n"))?;
    Ok(status)
}
