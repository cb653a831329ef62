//! What a program that uses the engine usually needs, in few names that stay: read a litmus test, explore it, ask why.
//!
//! All else of this crate is what these are made of. It is public because the page and the command line are made of it too, and may
//! change with any version.

use crate::budget::{Budget, LOOK, Stop};
use crate::compare::{Asker, ComparisonBounds, OutcomeQuestion, WhyNotAnswer};
use crate::document::Kind;
use crate::explore::{Algorithm, Explorer, Followed, InvalidOption, Options, Results, Step};
use crate::labs::why_not::{WhyNotReport, why_not_text};
use crate::model::Model;
use crate::program::{Code, Program};
use crate::report::{Detail, Report, ResultsJson, Unfinished, results_text};
use crate::run::Interruption;
use crate::session::{Settings, link};
use crate::syntax::{self, Diagnostic};
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// A litmus test, or any other program in a notation that is read here.
#[derive(Clone, Debug)]
pub struct Litmus {
    text: String,
    program: Arc<Program>,
    code: Arc<Code>,
}

/// Why something can't be read, explored or asked. Its text is for people: several lines, with the place and a caret for each problem
/// of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LitmusError(String);

impl fmt::Display for LitmusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.trim_end())
    }
}

impl Error for LitmusError {}

impl From<InvalidOption> for LitmusError {
    fn from(error: InvalidOption) -> Self {
        Self(error.to_string())
    }
}

/// How to explore. [`Search::under`] is what most want.
#[derive(Clone, Debug)]
pub struct Search {
    /// The memory model.
    pub model: Model,
    /// The algorithm; `None` for the fastest that can explore the program under the model and sees every execution.
    pub algorithm: Option<Algorithm>,
    /// Bounds on loops and graphs, and what else can be chosen.
    pub options: Options,
    /// How many executions to find at most: what is left is reported as such.
    pub most_executions: u64,
    /// Who wants to stop the exploration from another thread keeps a copy and tells it.
    pub stop: Stop,
}

impl Search {
    /// All executions under a model, but for 10,000,000 of them at most.
    pub fn under(model: Model) -> Self {
        let (most_executions, options) = (10_000_000, Options { stuck_loops: true, ..Options::default() });
        Self { model, algorithm: None, options, most_executions, stop: Stop::default() }
    }
}

/// What an exploration found.
#[derive(Clone, Debug)]
pub struct Explored {
    /// Counts, final states, condition, errors and the verdict: what `litmoscope explore --json` prints. Its fields stay, and others may
    /// come.
    pub summary: ResultsJson,
    /// The same for people: what `litmoscope explore` prints.
    pub text: String,
}

/// Why a model allows an outcome, or does not.
#[derive(Clone, Debug)]
pub struct Why {
    /// Whether some execution ends so; `None` if a bound left that open.
    pub allowed: Option<bool>,
    /// The execution, or the cycles that rule out all that would end so, for people.
    pub text: String,
}

impl Litmus {
    /// Reads a program. Its notation, Litmoscope's own, herd's C or herd's X86, is told by its first line.
    ///
    /// # Errors
    /// What is wrong with the text, with lines and columns.
    pub fn parse(text: &str) -> Result<Self, LitmusError> {
        let wrong = |problems: Vec<Diagnostic>| LitmusError(syntax::render(text, "text", &problems));
        Kind::of(text).read(text).map_err(wrong)?;
        let program = syntax::parse(text).map_err(wrong)?.program;
        let code = Code::compile(&program).map_err(|error| LitmusError(error.to_string()))?;
        Ok(Self { text: text.to_owned(), program: Arc::new(program), code: Arc::new(code) })
    }

    /// The program's name, or nothing.
    pub fn name(&self) -> &str {
        &self.program.name
    }

    /// Explores the program, on the calling thread, and says what was found. Takes time that can be exponential in the length of the
    /// program, and memory that is linear in it.
    ///
    /// # Errors
    /// If the algorithm can't explore the program under the model, or the options are out of range.
    pub fn explore(&self, search: &Search) -> Result<Explored, LitmusError> {
        let Search { model, options, .. } = *search;
        let fastest =
            || Algorithm::fastest(&self.program, &self.code, model, options, Followed::Executions).unwrap_or_default();
        let algorithm = search.algorithm.unwrap_or_else(fastest);
        options.validate_for_program(algorithm, model, &self.code)?;
        let explorer = algorithm.explorer(Arc::clone(&self.code), model, options);
        let mut explorer = explorer.map_err(|error| LitmusError(error.to_string()))?;
        let mut results = Results::new(&self.program);
        // A browser has no such clock.
        #[cfg(not(target_family = "wasm"))]
        let begun = std::time::Instant::now();
        let reason = self.walk(search, &mut *explorer, &mut results);
        #[cfg(not(target_family = "wasm"))]
        let seconds = begun.elapsed().as_secs_f64();
        #[cfg(target_family = "wasm")]
        let seconds = 0.0;
        let report = Report {
            name: self.name(),
            program: &self.program,
            source: &self.text,
            model,
            algorithm,
            options,
            counts: explorer.counts(),
            results: &results,
            seconds,
            unfinished: reason.map(|reason| Unfinished { reason, estimate: None }),
            questions: None,
        };
        Ok(Explored { summary: ResultsJson::from(&report), text: results_text(&report) })
    }

    /// Goes to the end, or says what ended it.
    fn walk(&self, search: &Search, explorer: &mut dyn Explorer, results: &mut Results) -> Option<Interruption> {
        loop {
            let step = explorer.advance();
            if step == Step::Done {
                return None;
            }
            results.observe(&self.program, &self.code, search.model, explorer, step);
            if explorer.counts().executions() >= search.most_executions {
                return Some(Interruption::PerhapsMore);
            }
            if search.stop.is_told() {
                return Some(Interruption::Signal);
            }
        }
    }

    /// Why a model allows an outcome or not: `a=0, b=0`, or `None` for that of the program's condition.
    ///
    /// # Errors
    /// If the outcome is none of this program, or the program has no condition, or has handlers.
    pub fn why_not(&self, model: Model, outcome: Option<&str>) -> Result<Why, LitmusError> {
        self.why_not_within(model, outcome, &mut Budget::unlimited())
    }

    /// The same, ended with what is known when the budget says so.
    ///
    /// # Errors
    /// As [`Self::why_not`].
    pub fn why_not_within(&self, model: Model, outcome: Option<&str>, budget: &mut Budget) -> Result<Why, LitmusError> {
        if let Some(refused) = crate::document::no_handlers(&self.program, "this question") {
            return Err(LitmusError(syntax::render(&self.text, "text", &[refused])));
        }
        let question = match outcome {
            Some(outcome) => {
                OutcomeQuestion::parse(&self.program, outcome).map_err(|error| LitmusError(error.to_string()))?
            }
            None => OutcomeQuestion::of_condition(&self.program).ok_or_else(|| {
                LitmusError("the program has no condition: say which outcome, such as \"a=0, b=0\"".to_owned())
            })?,
        };
        let (options, bounds) = (Options::default(), ComparisonBounds::default());
        let mut asker = Asker::new(&self.program, Arc::clone(&self.code), &question, model, options, bounds);
        while asker.advance() {
            if budget.count(LOOK).is_err() {
                asker.stop();
            }
        }
        let why_not = asker.why_not();
        let report = WhyNotReport {
            name: self.name(),
            program: &self.program,
            question: &question.text(&self.program),
            observables: &question.observables(&self.program),
            why_not: &why_not,
        };
        let allowed = match why_not.answer {
            WhyNotAnswer::Allowed { .. } => Some(true),
            _ if report.is_cut() => None,
            _ => Some(false),
        };
        Ok(Why { allowed, text: why_not_text(&report, Detail::Full) })
    }

    /// The fragment of a link that opens the program in the page under a model: what follows the page's address, `#` included.
    pub fn link(&self, model: Model) -> String {
        link::encode(&Settings { text: self.text.clone(), model, ..Settings::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::Verdict;

    const SB: &str = "name SB\nx := 1; a := y || y := 1; b := x\nexists (P0:a = 0 /\\ P1:b = 0)\n";

    #[test]
    fn a_test_is_read_explored_and_asked_about() {
        let sb = Litmus::parse(SB).expect("it is right");
        assert_eq!(sb.name(), "SB");
        for (model, executions, allowed) in [(Model::SC, 3, false), (Model::TSO, 4, true), (Model::RC11, 4, true)] {
            let found = sb.explore(&Search::under(model)).expect("it can be explored");
            assert_eq!(found.summary.executions.complete, executions, "{model:?}");
            assert_eq!(found.summary.condition.as_ref().map(|condition| condition.holds), Some(allowed), "{model:?}");
            assert_eq!(sb.why_not(model, None).expect("it has a condition").allowed, Some(allowed));
        }
        let why = sb.why_not(Model::SC, Some("a=0, b=0")).expect("there are such registers");
        assert!(why.text.contains("po") && why.text.contains("fr"), "{}", why.text);
        assert!(
            matches!(link::decode(&sb.link(Model::TSO)), Ok(settings) if settings.text == SB && settings.model == Model::TSO)
        );
    }

    #[test]
    fn what_ends_early_is_never_verified() {
        let sb = Litmus::parse(&SB.replace("exists", "~exists")).expect("it is right");
        let few = Search { most_executions: 1, ..Search::under(Model::SC) };
        let found = sb.explore(&few).expect("it can be explored");
        assert_eq!((found.summary.verdict, found.summary.bounded), (Verdict::Bounded, false));
        assert!(found.summary.interrupted.is_some());
        let stopped = Search::under(Model::SC);
        stopped.stop.tell();
        assert_eq!(sb.explore(&stopped).expect("it can be explored").summary.verdict, Verdict::Bounded);
        let why = sb.why_not_within(Model::SC, None, &mut Budget::until(stopped.stop)).expect("it has a condition");
        assert_eq!(why.allowed, None, "{}", why.text);
        let whole = sb.explore(&Search::under(Model::SC)).expect("it can be explored");
        assert_eq!((whole.summary.verdict, whole.summary.interrupted), (Verdict::Ok, None));
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        let error = Litmus::parse("x := := 1\n").expect_err("it is wrong").to_string();
        assert!(error.contains('^') && error.contains('1'), "{error}");
        let sb = Litmus::parse(SB).expect("it is right");
        assert!(sb.why_not(Model::SC, Some("nobody=0")).is_err());
        let tight = Search { algorithm: Some(Algorithm::RvfSmc), ..Search::under(Model::TSO) };
        assert!(sb.explore(&tight).is_err());
    }
}
