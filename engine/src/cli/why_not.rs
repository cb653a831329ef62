//! `litmoscope why-not`

use super::input::{Input, Messages};
use super::{Failure, budget, detail, is_over, print, print_json};
use crate::WhyNot;
use litmoscope::compare::{Asker, ComparisonBounds, OutcomeQuestion, WhyNotAnswer};
use litmoscope::document::no_handlers;
use litmoscope::labs::why_not::{WhyNotJson, WhyNotReport, why_not_text};
use litmoscope::program::Program;

pub fn why_not(task: &WhyNot) -> Result<u8, Failure> {
    let input = Input::read(&task.file)?;
    let Some(parsed) = input.parse(Messages::Errors) else { return Ok(2) };
    let program = parsed.program;
    let model = match Input::model(task.model, &program) {
        Ok((model, note)) => {
            input.show_wanted(note.as_slice(), Messages::ShortNotes);
            model
        }
        Err(diagnostic) => {
            input.show(&[diagnostic]);
            return Ok(2);
        }
    };
    if let Some(refused) = no_handlers(&program, "`why-not`") {
        input.show(&[refused]);
        return Ok(2);
    }
    let Some(code) = input.compile(&program) else { return Ok(2) };
    let question = question(&program, task.outcome.as_deref())?;
    let defaults = ComparisonBounds::default();
    let bounds = ComparisonBounds {
        candidates: task.candidates.unwrap_or(defaults.candidates),
        steps: task.steps.unwrap_or(defaults.steps),
        ..defaults
    };
    let mut asker = Asker::new(&program, code, &question, model, task.how.options(), bounds);
    let mut budget = budget(task.timeout)?;
    while asker.advance() {
        if is_over(&mut budget) {
            asker.stop();
        }
    }
    let why_not = asker.why_not();
    let report = WhyNotReport {
        name: input.name(&program),
        program: &program,
        question: &question.text(&program),
        observables: &question.observables(&program),
        why_not: &why_not,
    };
    if task.json {
        print_json(&WhyNotJson::from(&report))?;
    } else {
        print(&why_not_text(&report, detail(task.explain)))?;
    }
    Ok(match why_not.answer {
        WhyNotAnswer::Allowed { .. } => 0,
        _ if report.is_cut() => 3,
        _ => 1,
    })
}

/// The outcome asked for, or else that of the program's condition.
fn question(program: &Program, outcome: Option<&str>) -> Result<OutcomeQuestion, Failure> {
    match outcome {
        Some(text) => OutcomeQuestion::parse(program, text).map_err(|error| {
            let place = text.get(..error.at).map_or(0, |before| before.chars().count()) + 1;
            Failure(format!("the outcome, character {place}: {error}"))
        }),
        None => OutcomeQuestion::of_condition(program)
            .ok_or_else(|| Failure("the program has no condition: say which outcome, such as \"a=0, b=0\"".to_owned())),
    }
}
