//! Why a model does not allow an outcome, for the page.

use super::WhyNotReport;
use crate::compare::{Asker, ComparisonBounds, OutcomeQuestion, WhyNot, WhyNotAnswer, question_names};
use crate::document::no_handlers;
use crate::explore::Options;
use crate::model::Model;
use crate::program::{Code, Observable, Program, Span};
use crate::report::{Drawing, layout};
use crate::syntax::{self, Diagnostic};
use crate::words;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How many cases are listed.
const MAX_CASES: usize = 100;
/// How many cycles of a case are listed.
const MAX_CYCLES: usize = 24;

/// What can be asked about a program, and what is wrong with a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionView {
    /// What the program's condition asks for.
    pub condition: Option<String>,
    /// The names that a question can mention.
    pub names: Vec<String>,
    /// The question as it was understood.
    pub understood: Option<String>,
    /// What is wrong with it.
    pub trouble: Option<String>,
}

impl QuestionView {
    /// What there is to say of a question on the program of a text. Takes as long as parsing does.
    pub fn new(text: &str, question: &str) -> Self {
        let Ok(parsed) = syntax::parse(text) else {
            return Self { trouble: Some("the program has errors".to_owned()), ..Self::default() };
        };
        let program = parsed.program;
        let read = OutcomeQuestion::parse(&program, question);
        Self {
            condition: OutcomeQuestion::of_condition(&program).map(|question| question.text(&program)),
            names: question_names(&program),
            understood: read.as_ref().ok().map(|question| question.text(&program)),
            trouble: read.err().map(|error| error.message),
        }
    }

    /// The question with its last word completed by a name, as far as one begins so: what can be typed instead.
    pub fn completions(&self, question: &str) -> Vec<String> {
        let start = question.rfind([' ', ',', '(', '~', '!', '/', '\\', '=', '<', '>']).map_or(0, |at| at + 1);
        let (before, word) = question.split_at(start);
        // Behind a comparison stands a value.
        if before.trim_end().ends_with(['=', '<', '>']) {
            return Vec::new();
        }
        let lower = word.to_lowercase();
        let begins = |name: &&String| {
            let register = name.split_once(':').map_or("", |(_, register)| register);
            name.to_lowercase().starts_with(&lower) || !lower.is_empty() && register.to_lowercase().starts_with(&lower)
        };
        self.names.iter().filter(begins).map(|name| format!("{before}{name}=")).collect()
    }
}

/// A question on the program of a text, being answered.
pub struct Asking {
    program: Arc<Program>,
    question: String,
    observables: Vec<Observable>,
    asker: Asker,
    /// At the end, so that it is not put together again for each drawing.
    whole: Option<WhyNot>,
}

impl Asking {
    /// A question before the first step.
    ///
    /// # Errors
    /// Diagnostics of a text that is no program, of a program that can't be explored, or of the question.
    pub fn open(
        text: &str,
        question: &str,
        model: Model,
        options: Options,
        bounds: ComparisonBounds,
    ) -> Result<Self, Vec<Diagnostic>> {
        let refuse = |message: String| vec![Diagnostic::error(message, Span::default())];
        options.validate().map_err(|error| refuse(error.to_string()))?;
        let program = Arc::new(syntax::parse(text)?.program);
        if let Some(refused) = no_handlers(&program, "this question") {
            return Err(vec![refused]);
        }
        let code = Code::compile(&program).map_err(|error| vec![Diagnostic::error(error.to_string(), error.span())])?;
        let question = OutcomeQuestion::parse(&program, question).map_err(|error| refuse(error.message))?;
        Ok(Self {
            question: question.text(&program),
            observables: question.observables(&program),
            asker: Asker::new(&program, Arc::new(code), &question, model, options, bounds),
            program,
            whole: None,
        })
    }

    /// Does a part of the work, of some milliseconds; whether there is more to do.
    pub fn advance(&mut self) -> bool {
        let more = self.asker.advance();
        if !more && self.whole.is_none() {
            self.whole = Some(self.asker.why_not());
        }
        more
    }

    fn report<'a>(&'a self, why_not: &'a WhyNot) -> WhyNotReport<'a> {
        WhyNotReport {
            name: &self.program.name,
            program: &self.program,
            question: &self.question,
            observables: &self.observables,
            why_not,
        }
    }

    /// What the page shows, of what is known so far.
    pub fn view(&self) -> WhyNotView {
        let now;
        let why_not = match &self.whole {
            Some(whole) => whole,
            None => {
                now = self.asker.why_not();
                &now
            }
        };
        let report = self.report(why_not);
        let mut view = WhyNotView {
            question: self.question.clone(),
            model: why_not.model,
            verdict: WhyNotVerdict::Unknown,
            sentence: report.sentence(),
            cases: Vec::new(),
            left_out: None,
            position: None,
            sc_cycle: None,
            reasons: Vec::new(),
            notes: report.notes(),
            done: self.whole.is_some(),
            doing: self.asker.doing(),
        };
        match &why_not.answer {
            WhyNotAnswer::Allowed { position, witness, .. } => {
                view.verdict = WhyNotVerdict::Allowed;
                view.position = Some(*position);
                if let Some(why_allowed) = report.why_allowed() {
                    view.reasons = report.why_allowed_words(why_allowed);
                    view.sc_cycle = Some(CycleView {
                        orders: None,
                        axiom: why_allowed.violation.axiom.clone(),
                        cycle: report.cycle_text(witness, &why_allowed.violation),
                        words: report.cycle_words(witness, &why_allowed.violation),
                    });
                }
            }
            WhyNotAnswer::Forbidden { cases, .. } => {
                view.verdict = WhyNotVerdict::Forbidden;
                let case = |case| {
                    let all = report.cycles(case);
                    let cycles = all.iter().take(MAX_CYCLES).map(|&(violation, orders)| CycleView {
                        orders: report.orders_text(&case.graph, orders),
                        axiom: violation.axiom.clone(),
                        cycle: report.cycle_text(&case.graph, violation),
                        words: report.cycle_words(&case.graph, violation),
                    });
                    CaseView {
                        text: report.case_text(case),
                        ruling: report.ruling_text(case),
                        cycles: cycles.collect(),
                        left_out: left_out(all.len(), MAX_CYCLES, "cycle"),
                    }
                };
                view.cases = cases.iter().take(MAX_CASES).map(case).collect();
                view.left_out = left_out(cases.len(), MAX_CASES, "execution");
            }
            WhyNotAnswer::Impossible { .. } => view.verdict = WhyNotVerdict::Impossible,
            WhyNotAnswer::Unknown => {}
        }
        view
    }

    /// The witness, or a cycle of a case; `None` if there is no such thing.
    pub fn drawing(&self, case: usize, cycle: usize) -> Option<Drawing> {
        let why_not = self.whole.as_ref()?;
        let report = self.report(why_not);
        match &why_not.answer {
            WhyNotAnswer::Allowed { .. } => Some(layout(report.witness_drawing()?.diagram())),
            WhyNotAnswer::Forbidden { cases, .. } => {
                let case = cases.get(case)?;
                let (violation, orders) = report.cycles(case).into_iter().nth(cycle)?;
                Some(layout(report.drawing(case, violation, orders.first()).diagram()))
            }
            WhyNotAnswer::Impossible { .. } | WhyNotAnswer::Unknown => None,
        }
    }
}

/// What is said of what is not listed.
fn left_out(all: usize, listed: usize, what: &str) -> Option<String> {
    let more = all.checked_sub(listed).filter(|more| *more > 0)?;
    let (more, what) = (more as u64, format!("more {what}"));
    Some(format!("{} {} not listed.", words::count(more, &what), words::by_number(more, "is", "are")))
}

/// Whether a model allows an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhyNotVerdict {
    /// It does.
    Allowed,
    /// It does not.
    Forbidden,
    /// No model does.
    Impossible,
    /// Not known, or not yet.
    Unknown,
}

/// What the page shows of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhyNotView {
    /// The outcome asked for, as it was understood.
    pub question: String,
    /// The model.
    pub model: Model,
    /// Whether it allows the outcome.
    pub verdict: WhyNotVerdict,
    /// The answer in a sentence.
    pub sentence: String,
    /// The executions that would end in the outcome.
    pub cases: Vec<CaseView>,
    /// How many of them are not listed, in a sentence.
    pub left_out: Option<String>,
    /// After how many steps GenMC has the witness whole.
    pub position: Option<u64>,
    /// Why SC forbids the witness: the cycle.
    pub sc_cycle: Option<CycleView>,
    /// What of that cycle the model does not demand, a sentence each.
    pub reasons: Vec<String>,
    /// What has to be known to read the answer.
    pub notes: Vec<String>,
    /// Whether the answer is whole.
    pub done: bool,
    /// What is being done, in a few words.
    pub doing: String,
}

/// An execution that would end in the outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseView {
    /// Which write each read takes, and where final values come from.
    pub text: String,
    /// What rules it out, in a sentence.
    pub ruling: String,
    /// The cycles that rule it out.
    pub cycles: Vec<CycleView>,
    /// How many of them are not listed, in a sentence.
    pub left_out: Option<String>,
}

/// A cycle that rules an execution out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CycleView {
    /// The coherence orders that have it; `None` where all do.
    pub orders: Option<String>,
    /// The axiom it violates.
    pub axiom: String,
    /// The cycle in a line.
    pub cycle: String,
    /// The cycle in words.
    pub words: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORE_BUFFERING: &str = "x := 1 || y := 1\na := y || b := x\nexists (P0:a = 0 /\\ P1:b = 0)";

    fn ask(text: &str, question: &str, model: Model) -> Asking {
        let asking = Asking::open(text, question, model, Options::default(), ComparisonBounds::default());
        let mut asking = asking.expect("a program and a question");
        while asking.advance() {
            let view = asking.view();
            assert!(!view.done && !view.doing.is_empty() && view.verdict == WhyNotVerdict::Unknown);
        }
        asking
    }

    #[test]
    fn what_is_forbidden_can_be_drawn() {
        let asking = ask(STORE_BUFFERING, "a=0, b=0", Model::SC);
        let view = asking.view();
        assert_eq!((view.verdict, view.cases.len(), view.position), (WhyNotVerdict::Forbidden, 1, None));
        assert_eq!(view.cases[0].cycles[0].axiom, "sequential-consistency");
        let drawing = asking.drawing(0, 0).expect("there is a cycle");
        assert_eq!(drawing.edges.iter().filter(|edge| edge.in_cycle).count(), 4);
        assert_eq!((asking.drawing(0, 1), asking.drawing(1, 0)), (None, None));
    }

    #[test]
    fn what_is_allowed_has_a_place() {
        let asking = ask(STORE_BUFFERING, "a=0, b=0", Model::TSO);
        let view = asking.view();
        assert_eq!(view.verdict, WhyNotVerdict::Allowed);
        assert!(view.position.is_some_and(|position| position > 0) && asking.drawing(0, 0).is_some());
        assert_eq!(ask(STORE_BUFFERING, "x=3", Model::SC).view().verdict, WhyNotVerdict::Impossible);
    }

    #[test]
    fn questions_are_checked_and_completed() {
        let view = QuestionView::new(STORE_BUFFERING, "a=0, b");
        assert_eq!(view.condition.as_deref(), Some("P0:a=0, P1:b=0"));
        assert!(view.trouble.is_some());
        assert_eq!(view.completions("a=0, b"), ["a=0, P1:b="]);
        assert_eq!(view.completions("p0"), ["P0:a="]);
        assert_eq!(view.completions("a="), Vec::<String>::new());
        assert_eq!(view.completions("").len(), 4);
        assert_eq!(QuestionView::new(STORE_BUFFERING, "a=0").understood.as_deref(), Some("P0:a=0"));
        assert!(QuestionView::new("x := (", "x=1").trouble.is_some());
    }

    #[test]
    fn what_can_not_be_asked_is_refused() {
        for (text, question) in [("x := (", "x=1"), (STORE_BUFFERING, "k=1"), (STORE_BUFFERING, "")] {
            assert!(Asking::open(text, question, Model::SC, Options::default(), ComparisonBounds::default()).is_err());
        }
    }
}
