//! What a program may see on a memory implementation, beside what memory models allow: words and JSON.

use crate::budget::{Budget, Paused};
use crate::explore::{Effort, Explorer, GenMc, Options, Results, Step};
use crate::model::{Inquiry, Model};
use crate::program::{Code, ErrorKind, Limits, Program, Quantifier, Span, Value};
use crate::words::{count, list};
use crate::{Machine, ProgramRuns, TransitionIndex, register_observables, values_of_run};
use litmoscope_draw::error_sentence;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

/// What threads of a program may read under a memory model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelOutcomes {
    /// The model.
    pub model: Model,
    /// The values of registers.
    pub states: BTreeSet<Vec<Value>>,
    /// Whether these are all. What is not among them is unknown else.
    pub is_whole: bool,
}

/// Explores a program under a model, in so many steps at most: which values registers have in the end.
pub fn outcomes_of_model(
    program: &Program,
    code: &Arc<Code>,
    model: Model,
    limits: Limits,
    steps: u64,
    budget: &mut Budget,
) -> ModelOutcomes {
    // Last values of locations are nothing that a machine could be compared by.
    let program = &Program { condition: None, observed: Some(register_observables(program)), ..program.clone() };
    let options = Options { no_races: true, ..Options::from(limits) };
    let mut explorer = GenMc::new(Arc::clone(code), model, options);
    let mut results = Results::with_all_outcomes(program);
    let mut is_over = false;
    while explorer.counts().steps < steps {
        let Ok(step) = explorer.advance_within(budget) else { break };
        if step == Step::Done {
            is_over = true;
            break;
        }
        let mut inquiry = Inquiry::default();
        let effort = Effort { limit: limits.search, inquiry: &mut inquiry, budget };
        if let Err(Paused) = results.observe_within(program, code, model, &explorer, step, effort) {
            break;
        }
    }
    let is_cut = !results.cuts().is_empty();
    let is_whole = is_over && !is_cut && explorer.counts().undecided + results.unlisted() == 0;
    ModelOutcomes { model, states: results.outcomes().map(|(state, _)| state.to_vec()).collect(), is_whole }
}

/// What is said of a run that comes to no end.
const STUCK: &str = "Some run comes to no end: a thread asks and is never answered.";

/// What was not looked at.
fn bounds(runs: &ProgramRuns) -> Vec<String> {
    let given_up = runs.given_up.map(|steps| {
        let steps = count(u64::from(steps), "step");
        format!("Unknown beyond runs of {steps}: the search was given up at its limit.")
    });
    let cut = (!runs.cuts.is_empty()).then(|| "Bounded: loops were cut, so there may be more outcomes.".to_owned());
    given_up.into_iter().chain(cut).collect()
}

/// What is said of a program on a memory implementation.
#[derive(Clone, Copy, Debug)]
pub struct ProgramReport<'a> {
    /// What to call the program.
    pub name: &'a str,
    /// Its text.
    pub source: &'a str,
    /// It.
    pub program: &'a Program,
    /// Its code.
    pub code: &'a Code,
    /// What cuts its threads.
    pub limits: Limits,
    /// What to call the memory.
    pub memory: &'a str,
    /// The machine.
    pub machine: &'a Machine,
    /// What was seen; `None` if it was stopped.
    pub runs: Option<&'a ProgramRuns>,
    /// What models allow.
    pub models: &'a [ModelOutcomes],
}

impl ProgramReport<'_> {
    /// Whether all runs were looked at to their ends.
    fn is_whole(&self) -> bool {
        self.runs.is_some_and(|runs| runs.given_up.is_none() && runs.cuts.is_empty())
    }

    /// Whether the program's condition holds, and whether more runs can't change that; `None` without one.
    fn condition(&self) -> Option<(bool, bool)> {
        let quantifier = self.program.condition.as_ref()?.quantifier;
        let outcomes = || self.runs.iter().flat_map(|runs| runs.outcomes.values());
        let some = |wanted: bool| outcomes().any(|outcome| outcome.satisfies == Some(wanted));
        let (holds, found) = match quantifier {
            Quantifier::Exists => (some(true), some(true)),
            Quantifier::NotExists => (!some(true), some(true)),
            Quantifier::ForAll => (!some(false), some(false)),
        };
        Some((holds, found || self.is_whole()))
    }

    /// In a word: `holds`, `violated` by an error or by what refutes the condition, or `unknown`.
    pub fn verdict(&self) -> &'static str {
        let has_errors = self.runs.is_some_and(|runs| !runs.errors.is_empty());
        if has_errors || self.condition() == Some((false, true)) {
            "violated"
        } else if self.is_whole() {
            "holds"
        } else {
            "unknown"
        }
    }

    /// All that is said; with `explained`, the run of each outcome.
    pub fn text(&self, explained: bool) -> String {
        let Some(runs) = self.runs else {
            return format!("{} on {}: unknown: it was stopped before there was an answer\n", self.name, self.memory);
        };
        let mut out = self.size(runs) + "\n";
        for bound in bounds(runs) {
            let _ = writeln!(out, "{bound}");
        }
        for (state, outcome) in &runs.outcomes {
            let asked = if outcome.satisfies == Some(true) { " *" } else { "" };
            let steps = count(outcome.run.len() as u64, "step");
            let _ = writeln!(out, "  {}{asked}   in {steps}; {}", self.state(state), self.allowed(state));
            if explained {
                out += &self.run(&outcome.run);
            }
        }
        for ((kind, span), run) in &runs.errors {
            let _ = writeln!(out, "{}", self.error(*kind, *span));
            out += &self.run(run);
        }
        if let Some(run) = &runs.stuck {
            let _ = writeln!(out, "{STUCK}");
            if explained {
                out += &self.run(run);
            }
        }
        for sentence in self.condition_sentence().into_iter().chain(self.comparison(runs)) {
            let _ = writeln!(out, "{sentence}");
        }
        out
    }

    /// How much was seen.
    fn size(&self, runs: &ProgramRuns) -> String {
        let outcomes = count(runs.outcomes.len() as u64, "outcome");
        format!("{} on {}: {outcomes}, by {}", self.name, self.memory, count(runs.configurations, "configuration"))
    }

    fn error(&self, kind: ErrorKind, span: Span) -> String {
        format!("Line {}: {}.", span.line, error_sentence(self.program, &kind))
    }

    /// What is known of the condition.
    fn condition_sentence(&self) -> Option<String> {
        let (condition, (holds, is_decided)) = self.program.condition.as_ref().zip(self.condition())?;
        let text = condition.span.on_one_line(self.source);
        let so_far = if is_decided { "" } else { " so far" };
        let ends = match (condition.quantifier, holds) {
            (Quantifier::Exists, true) => "holds: this memory shows it",
            (Quantifier::Exists, false) => "does not hold: this memory never shows it",
            (Quantifier::NotExists, true) => "holds: this memory never shows it",
            (Quantifier::NotExists, false) => "does not hold: this memory shows it",
            (Quantifier::ForAll, true) => "holds: this memory shows nothing else",
            (Quantifier::ForAll, false) => "does not hold: this memory shows something else",
        };
        Some(format!("{text} {ends}{so_far}."))
    }

    fn state(&self, state: &[Value]) -> String {
        let values = register_observables(self.program).into_iter().zip(state).map(|(observable, value)| {
            format!("{}={}", self.program.observable_name(observable), self.program.value_text(*value))
        });
        let values: Vec<String> = values.collect();
        if values.is_empty() { "(no registers)".to_owned() } else { values.join(" ") }
    }

    /// Which models allow an outcome.
    fn allowed(&self, state: &[Value]) -> String {
        let forbids = |outcomes: &&ModelOutcomes| outcomes.is_whole && !outcomes.states.contains(state);
        let forbidding: Vec<&str> = self.models.iter().filter(forbids).map(|outcomes| outcomes.model.title()).collect();
        let unknown = self.models.iter().any(|outcomes| !outcomes.is_whole && !outcomes.states.contains(state));
        let most = if unknown { "no other model is known to" } else { "no other model does" };
        match forbidding.len() {
            0 if unknown => "no model is known to forbid it".to_owned(),
            0 => "allowed by all models".to_owned(),
            all if all == self.models.len() => "forbidden by all models".to_owned(),
            _ => format!("forbidden by {}; {most}", list(forbidding)),
        }
    }

    /// How what was seen compares with what each model allows.
    fn comparison(&self, runs: &ProgramRuns) -> Vec<String> {
        if !self.is_whole() || self.models.is_empty() {
            return Vec::new();
        }
        let seen: BTreeSet<&Vec<Value>> = runs.outcomes.keys().collect();
        let mut groups = [const { Vec::new() }; 4];
        for outcomes in self.models {
            let is_within = seen.iter().all(|state| outcomes.states.contains(*state));
            let which = match (outcomes.is_whole, is_within, outcomes.states.len() == seen.len()) {
                (false, ..) => 3,
                (true, true, true) => 0,
                (true, true, false) => 1,
                (true, false, _) => 2,
            };
            groups[which].push(outcomes.model.title());
        }
        let words = [
            "These are exactly the outcomes of",
            "Fewer than those of",
            "Some are not among those of",
            "Not compared, because the exploration was stopped at its bound:",
        ];
        let all = groups.into_iter().zip(words).filter(|(models, _)| !models.is_empty());
        all.map(|(models, what)| format!("{what} {}.", list(models))).collect()
    }

    /// The steps of a run, with the values that are written and read.
    fn run(&self, run: &[TransitionIndex]) -> String {
        let mut out = String::new();
        for (place, (operation, value)) in (1..).zip(self.steps(run)) {
            let value = value.map(|value| format!("   {value}")).unwrap_or_default();
            let _ = writeln!(out, "  {place:>5}. {operation}{value}");
        }
        out
    }

    /// The same, step by step.
    fn steps(&self, run: &[TransitionIndex]) -> Vec<(String, Option<String>)> {
        let values = values_of_run(self.machine, self.code, self.limits, run);
        let operation =
            |index: &TransitionIndex| self.machine.operation_text(self.machine.transition(*index).operation);
        let value = |value: Option<Value>| value.map(|value| self.program.value_text(value));
        run.iter().zip(values).map(|(index, of)| (operation(index), value(of))).collect()
    }
}

/// What a program may see on a memory implementation as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct ProgramJson {
    program: String,
    memory: String,
    /// `holds`, `violated` or `unknown`.
    verdict: &'static str,
    /// Whether all runs were looked at to their ends.
    is_whole: bool,
    configurations: u64,
    observables: Vec<String>,
    outcomes: Vec<OutcomeJson>,
    /// Runs that end with an error.
    errors: Vec<ErrorJson>,
    /// Of each model: whether all its outcomes are known, and those of them that were not seen.
    models: Vec<ModelJson>,
}

#[derive(Clone, Debug, Serialize)]
struct OutcomeJson {
    state: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    satisfies: Option<bool>,
    run: Vec<String>,
    /// The models that are known to forbid it.
    forbidden_by: Vec<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
struct ErrorJson {
    message: String,
    line: u32,
    run: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
struct ModelJson {
    model: &'static str,
    is_whole: bool,
    unseen: Vec<Vec<String>>,
}

impl From<&ProgramReport<'_>> for ProgramJson {
    fn from(report: &ProgramReport<'_>) -> Self {
        let nothing = ProgramRuns::default();
        let runs = report.runs.unwrap_or(&nothing);
        let machine = report.machine;
        let steps = |run: &[TransitionIndex]| -> Vec<String> {
            run.iter().map(|index| machine.operation_text(machine.transition(*index).operation)).collect()
        };
        let texts = |state: &[Value]| state.iter().map(|value| report.program.value_text(*value)).collect();
        let outcome = |(state, outcome): (&Vec<Value>, &crate::ProgramOutcome)| OutcomeJson {
            state: texts(state),
            satisfies: outcome.satisfies,
            run: steps(&outcome.run),
            forbidden_by: {
                let forbids = |of: &&ModelOutcomes| of.is_whole && !of.states.contains(state);
                report.models.iter().filter(forbids).map(|of| of.model.name()).collect()
            },
        };
        let names = register_observables(report.program).into_iter();
        Self {
            program: report.name.to_owned(),
            memory: report.memory.to_owned(),
            verdict: report.verdict(),
            is_whole: report.is_whole(),
            configurations: runs.configurations,
            observables: names.map(|observable| report.program.observable_name(observable)).collect(),
            outcomes: runs.outcomes.iter().map(outcome).collect(),
            errors: {
                let errors = runs.errors.iter().map(|((kind, span), run)| ErrorJson {
                    message: error_sentence(report.program, kind),
                    line: span.line,
                    run: steps(run),
                });
                errors.collect()
            },
            models: {
                let models = report.models.iter().map(|of| ModelJson {
                    model: of.model.name(),
                    is_whole: of.is_whole,
                    unseen: {
                        let unseen = of.states.iter().filter(|state| !runs.outcomes.contains_key(*state));
                        unseen.map(|state| texts(state)).collect()
                    },
                });
                models.collect()
            },
        }
    }
}

#[cfg(test)]
mod tests;
mod trial;

pub use trial::{NotTried, OutcomeRow, ProgramRequest, ProgramRun, ProgramTrial, ProgramView};
