//! A program that is run on a memory implementation for the page: what it shows first, and one model after another to compare with.

use super::super::table::{in_words, text_of};
use super::super::view::{read_declared, set_to};
use super::{ModelOutcomes, ProgramReport, STUCK, bounds, outcomes_of_model};
use crate::budget::Budget;
use crate::model::Model;
use crate::program::{Code, Limits, Program, Value};
use crate::syntax::{self, Diagnostic};
use crate::words::{count, grouped};
use crate::{Machine, ProgramRuns, ReadProtocol, TransitionIndex, fits_machine, parameters_of, runs_of_program};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// How many outcomes are listed.
const LISTED: usize = 200;
/// How many steps an exploration under a model may have, which is some seconds.
const STEPS: u64 = 300_000;

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramRequest {
    /// The text of the memory: a protocol, a machine or automata.
    pub text: String,
    /// Parameters that are set.
    pub settings: Vec<(String, i64)>,
    /// Whether automata begin as it is printed.
    pub as_printed: bool,
    /// The text of the program.
    pub program: String,
    /// How many configurations the search may meet.
    pub limit: u64,
}

/// What is shown of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramView {
    /// The parameters of the memory that it was run on.
    pub settings: Vec<(String, i64)>,
    /// What the memory had to be given for the program, in a sentence.
    pub grown: Option<String>,
    /// How much was seen.
    pub size: String,
    /// What was not looked at, in sentences.
    pub bounds: Vec<String>,
    /// What is known of the program's condition, in a sentence.
    pub condition: Option<String>,
    /// Its verdict, in a word: `holds`, `violated`, `unknown`.
    pub verdict: String,
    /// The outcomes, those of short runs first.
    pub outcomes: Vec<OutcomeRow>,
    /// How many more there are, in words.
    pub left_out: Option<String>,
    /// Errors, and a run that comes to no end.
    pub faults: Vec<ProgramRun>,
    /// How it compares with the models, in sentences.
    pub comparison: Vec<String>,
    /// The model that is explored now.
    pub exploring: Option<String>,
}

/// An outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeRow {
    /// The values of registers: `T1.a=0 T2.b=0`.
    pub state: String,
    /// Whether it satisfies the proposition of the program's condition.
    pub is_asked: bool,
    /// Which models allow it; `None` before they were explored.
    pub allowed: Option<String>,
    /// A shortest run that ends so.
    pub run: ProgramRun,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramRun {
    /// What comes of it, in a sentence.
    pub said: String,
    /// As text that can be taken up.
    pub text: String,
    /// Step by step, each with the value that is written or read.
    pub steps: Vec<(String, Option<String>)>,
}

/// A program that is run on a memory implementation.
#[derive(Debug)]
pub struct ProgramTrial {
    source: String,
    program: Program,
    code: Arc<Code>,
    limits: Limits,
    limit: u64,
    machine: Machine,
    settings: Vec<(String, i64)>,
    grown: Option<String>,
    runs: Option<ProgramRuns>,
    models: Vec<ModelOutcomes>,
}

/// Which of two texts is wrong, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotTried {
    /// That of the memory.
    Memory(Vec<Diagnostic>),
    /// That of the program: messages with their places in it.
    Program(String),
}

impl ProgramTrial {
    /// Reads both texts. A protocol gets as many threads and variables as the program has, if it has fewer.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn new(request: &ProgramRequest) -> Result<Self, NotTried> {
        let source = request.program.clone();
        let refuse =
            |all: &[Diagnostic]| NotTried::Program(syntax::render(&source, "program", all).trim_end().to_owned());
        let parsed = syntax::parse(&source).map_err(|wrong| refuse(&wrong))?;
        let program = parsed.program;
        let compiled = Code::compile(&program);
        let code = compiled.map_err(|error| refuse(&[Diagnostic::error(error.to_string(), error.span())]))?;
        let declared = parameters_of(&request.text).map_err(NotTried::Memory)?;
        let mut settings = set_to(&declared, &request.settings);
        let mut grown = Vec::new();
        for (name, needed) in [("threads", code.threads.len()), ("variables", code.initial.len())] {
            let needed = i64::try_from(needed).unwrap_or(i64::MAX);
            if let Some((_, value)) = settings.iter_mut().find(|(other, value)| other == name && *value < needed) {
                *value = needed;
                grown.push((name.to_owned(), needed));
            }
        }
        let read = read_declared(&request.text, &settings, request.as_printed);
        let ReadProtocol { machine, .. } = read.map_err(NotTried::Memory)?;
        fits_machine(&machine, &program, &code).map_err(|wrong| refuse(&[wrong]))?;
        let grown = (!grown.is_empty()).then(|| format!("For this program, the memory has {}.", in_words(&grown)));
        let (limits, limit) = (Limits::default().with_room_for(&code), request.limit);
        let (code, models) = (Arc::new(code), Vec::new());
        Ok(Self { source, program, code, limits, limit, machine, settings, grown, runs: None, models })
    }

    /// Whether all is known.
    pub fn is_over(&self) -> bool {
        self.runs.is_some() && self.models.len() == Model::ALL.len()
    }

    /// Finds out the next thing: all runs on the memory, then what one more model allows.
    pub fn go_on(&mut self) {
        let budget = &mut Budget::unlimited();
        if self.runs.is_none() {
            let (machine, program, code, met) = (&self.machine, &self.program, &self.code, AtomicU64::new(0));
            let found = runs_of_program(machine, program, code, self.limits, self.limit, &met, budget);
            self.runs = Some(found.unwrap_or_default());
        } else if let Some(model) = Model::ALL.get(self.models.len()) {
            let found = outcomes_of_model(&self.program, &self.code, *model, self.limits, STEPS, budget);
            self.models.push(found);
        }
    }

    /// What is known so far.
    pub fn view(&self) -> ProgramView {
        let name = |name: &str, otherwise: &str| if name.is_empty() { otherwise.to_owned() } else { name.to_owned() };
        let (own, memory) = (name(&self.program.name, "The program"), name(&self.machine.name, "this memory"));
        let over = self.is_over();
        let report = ProgramReport {
            name: &own,
            source: &self.source,
            program: &self.program,
            code: &self.code,
            limits: self.limits,
            memory: &memory,
            machine: &self.machine,
            runs: self.runs.as_ref(),
            models: if over { &self.models } else { &[] },
        };
        let (settings, grown) = (self.settings.clone(), self.grown.clone());
        let exploring = Model::ALL.get(self.models.len()).map(|model| model.title().to_owned());
        let Some(runs) = &self.runs else { return ProgramView { settings, grown, ..ProgramView::default() } };
        let run = |said: String, run: &[TransitionIndex]| ProgramRun {
            said,
            text: text_of(&self.machine, run),
            steps: report.steps(run),
        };
        let outcome = |(state, outcome): (&Vec<Value>, &crate::ProgramOutcome)| OutcomeRow {
            state: report.state(state),
            is_asked: outcome.satisfies == Some(true),
            allowed: over.then(|| report.allowed(state)),
            run: run(count(outcome.run.len() as u64, "step"), &outcome.run),
        };
        let errors = runs.errors.iter().map(|((kind, span), way)| run(report.error(*kind, *span), way));
        let stuck = runs.stuck.iter().map(|way| run(STUCK.to_owned(), way));
        let left_out = runs.outcomes.len().saturating_sub(LISTED);
        ProgramView {
            settings,
            grown,
            size: report.size(runs) + ".",
            bounds: bounds(runs),
            condition: report.condition_sentence(),
            verdict: report.verdict().to_owned(),
            outcomes: runs.outcomes.iter().take(LISTED).map(outcome).collect(),
            left_out: (left_out > 0).then(|| format!("and {} more", grouped(left_out as u64))),
            faults: errors.chain(stuck).collect(),
            comparison: report.comparison(runs),
            exploring,
        }
    }
}
