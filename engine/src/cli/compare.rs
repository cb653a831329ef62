//! `litmoscope compare`

use super::input::{Input, Messages};
use super::{Failure, budget, detail, is_over, print, print_json};
use crate::Compare;
use litmoscope::compare::{Comparer, ComparisonBounds};
use litmoscope::document::no_handlers;
use litmoscope::labs::comparison::{ComparisonJson, ComparisonReport, comparison_text};
use litmoscope::model::Model;
use std::sync::Arc;

pub fn compare(task: &Compare) -> Result<u8, Failure> {
    let models = models(&task.models)?;
    let input = Input::read(&task.file)?;
    let Some(parsed) = input.parse(Messages::Errors) else { return Ok(2) };
    let program = Arc::new(parsed.program);
    if let Some(refused) = no_handlers(&program, "a comparison of models") {
        input.show(&[refused]);
        return Ok(2);
    }
    let Some(code) = input.compile(&program) else { return Ok(2) };
    let defaults = ComparisonBounds::default();
    let bounds = ComparisonBounds {
        candidates: task.candidates.unwrap_or(defaults.candidates),
        steps: task.steps.unwrap_or(defaults.steps),
        ..defaults
    };
    let mut comparer = Comparer::new(Arc::clone(&program), code, &models, task.how.options(), bounds);
    let mut budget = budget(task.timeout)?;
    while comparer.advance() {
        if is_over(&mut budget) {
            comparer.stop();
        }
    }
    let comparison = comparer.comparison();
    let report = ComparisonReport {
        name: input.name(&program),
        program: &program,
        source: &input.text,
        comparison: &comparison,
    };
    if task.json {
        print_json(&ComparisonJson::from(&report))?;
    } else {
        print(&comparison_text(&report, detail(task.explain)))?;
    }
    Ok(if report.is_bounded() { 3 } else { 0 })
}

/// The models of a list: `all`, or names with commas between them.
pub fn models(list: &str) -> Result<Vec<Model>, Failure> {
    if list.eq_ignore_ascii_case("all") {
        return Ok(Model::ALL.to_vec());
    }
    let mut models = Vec::new();
    for name in list.split(',').map(str::trim) {
        let model: Model = name.parse().map_err(|error| Failure(format!("{error}; or `all`")))?;
        if !models.contains(&model) {
            models.push(model);
        }
    }
    Ok(models)
}
