//! `litmoscope schedule`

use super::input::{Input, Messages};
use super::{Failure, budget, interruption, is_exhausted, print, print_json};
use crate::{ScheduleTask, ScheduleVerify};
use litmoscope::budget::{Budget, Meter, Paused};
use litmoscope::program::Code;
use litmoscope::program::system::System;
use litmoscope::schedules::formula::{Predicates, Symbolic};
use litmoscope::schedules::impact::{Choice, Options, Step, Verdict, Verifier};
use litmoscope::schedules::report::{CounterexampleJson, Reporter, ResultJson};
use litmoscope::syntax::Diagnostic;
use serde::Serialize;
use std::sync::Arc;

pub fn schedule(task: &ScheduleTask) -> Result<u8, Failure> {
    match task {
        ScheduleTask::Verify(task) => verify(task),
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
