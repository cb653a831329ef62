//! A comparison of models for the page: the table, and two executions side by side.

use super::ComparisonReport;
use crate::compare::{Cell, Comparer, Comparison, ComparisonBounds};
use crate::document::no_handlers;
use crate::explore::Options;
use crate::labs::why_not::liberties;
use crate::model::Model;
use crate::program::{Code, Program, Span};
use crate::report::{Drawing, InitialWrites, layout};
use crate::session::{AskedGraph, ViolationView};
use crate::syntax::{self, Diagnostic};
use crate::words;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How many outcomes are listed.
const MAX_ROWS: usize = 500;

/// A comparison of all models in progress, of the program in a text.
pub struct Comparing {
    text: String,
    program: Arc<Program>,
    comparer: Comparer,
    /// At the end, so that it is not put together again for each question.
    whole: Option<Comparison>,
}

impl Comparing {
    /// A comparison before its first step.
    ///
    /// # Errors
    /// Diagnostics of a text that is no program, or no program that can be explored.
    pub fn open(text: String, options: Options, bounds: ComparisonBounds) -> Result<Self, Vec<Diagnostic>> {
        options.validate().map_err(|error| vec![Diagnostic::error(error.to_string(), Span::default())])?;
        let program = Arc::new(syntax::parse(&text)?.program);
        if let Some(refused) = no_handlers(&program, "a comparison of models") {
            return Err(vec![refused]);
        }
        let code = Code::compile(&program).map_err(|error| vec![Diagnostic::error(error.to_string(), error.span())])?;
        let comparer = Comparer::new(Arc::clone(&program), Arc::new(code), &Model::ALL, options, bounds);
        Ok(Self { text, program, comparer, whole: None })
    }

    /// Does a part of the work, as [`Comparer::advance`] does; whether there is more to do.
    pub fn advance(&mut self) -> bool {
        let more = self.comparer.advance();
        if !more && self.whole.is_none() {
            self.whole = Some(self.comparer.comparison());
        }
        more
    }

    /// What the page shows, of what is known so far. Linear in the size of the table.
    pub fn view(&self) -> ComparisonView {
        match &self.whole {
            Some(whole) => self.view_of(whole),
            None => self.view_of(&self.comparer.comparison()),
        }
    }

    fn report<'a>(&'a self, comparison: &'a Comparison) -> ComparisonReport<'a> {
        ComparisonReport { name: &self.program.name, program: &self.program, source: &self.text, comparison }
    }

    fn view_of(&self, comparison: &Comparison) -> ComparisonView {
        let report = self.report(comparison);
        let done = self.whole.is_some();
        let compared = comparison.models.len();
        let cells = |cells: &[Cell]| {
            let known = cells.iter().map(|cell| match cell {
                Cell::Allowed { executions, .. } => CellView::Allowed { executions: *executions },
                Cell::Forbidden { reason, .. } => {
                    CellView::Forbidden { axiom: reason.as_ref().map(|reason| reason.violation.axiom.clone()) }
                }
                Cell::Unknown => CellView::Unknown,
            });
            // Models behind the last one explored have not said anything yet.
            known.chain((compared..Model::ALL.len()).map(|_| CellView::Unknown)).collect()
        };
        let rows = comparison.outcomes.iter().take(MAX_ROWS).map(|outcome| ComparedRow {
            values: self.program.state_texts(&comparison.observables, &outcome.state),
            outcome: report.outcome_text(&outcome.state),
            satisfies: outcome.satisfies,
            cells: cells(&outcome.cells),
        });
        let absent = comparison.absent.iter().map(|absent| AbsentRow {
            values: report.absent_texts(absent),
            outcome: report.absent_text(absent),
            sentence: report.absence_sentence(absent),
        });
        ComparisonView {
            columns: report.columns(),
            models: Model::ALL.to_vec(),
            condition: self.program.condition.as_ref().map(|condition| condition.span.on_one_line(&self.text)),
            rows: rows.collect(),
            left_out: comparison.outcomes.len().saturating_sub(MAX_ROWS) as u64,
            absent: absent.collect(),
            asked: self.program.condition.is_some().then(|| asked(comparison)),
            notes: if done { report.notes() } else { Vec::new() },
            bounded: done && report.is_bounded(),
            done,
            doing: self.comparer.doing(),
        }
    }

    /// An execution that ends in an outcome under a model that allows it, and one that another model forbids, with the
    /// reason. `None` where there is no such row; a side is missing where its model does not say so.
    pub fn contrast(&self, row: usize, allowing: Option<Model>, forbidding: Option<Model>) -> Option<ContrastView> {
        let comparison = self.whole.as_ref()?;
        let report = self.report(comparison);
        let outcome = comparison.outcomes.get(row)?;
        let cell = |model: Model| {
            comparison.models.iter().zip(&outcome.cells).find(|(explored, _)| explored.model == model).map(|(_, c)| c)
        };
        let allowed = allowing.and_then(|model| match cell(model)? {
            Cell::Allowed { executions, position, witness } => {
                let ends = words::by_number(*executions, "ends", "end");
                let executions = words::count_in_words(*executions, "execution");
                let sentence = format!("{} allows it:", model.title());
                let why = match self.comparer.why_allowed(model, witness, &outcome.state) {
                    Some(why) => {
                        let why = liberties(&self.program, model, witness, &why).join(" ");
                        why.strip_prefix(&sentence).map_or_else(|| why.clone(), |rules| format!("Its rules:{rules}"))
                    }
                    None => "The threads can take turns so that it does.".to_owned(),
                };
                Some(SideView {
                    model,
                    sentence: format!("{sentence} {executions} {ends} so."),
                    why: Some(why),
                    violation: None,
                    drawing: Some(layout(report.witness_drawing(model, witness).diagram())),
                    position: Some(*position),
                })
            }
            _ => None,
        });
        let forbidden = forbidding.and_then(|model| match cell(model)? {
            Cell::Forbidden { reason: Some(reason), shortest, .. } => {
                let violation = &reason.violation;
                let mut input = report.drawing(reason);
                input.initial = InitialWrites::Relevant;
                let shortest = if *shortest { "" } else { " Another candidate may have a shorter cycle." };
                Some(SideView {
                    model,
                    sentence: format!(
                        "{} forbids it: this candidate violates {}.{shortest}",
                        model.title(),
                        violation.axiom
                    ),
                    why: None,
                    violation: Some(
                        AskedGraph::new(&self.program, model, &reason.candidate, None).violation(violation),
                    ),
                    drawing: Some(layout(input.diagram())),
                    position: None,
                })
            }
            Cell::Forbidden { reason: None, .. } => {
                let why = if comparison.all_outcomes {
                    "its candidates have too many coherence orders to give a reason"
                } else {
                    "no candidate was found to give a reason"
                };
                Some(SideView {
                    model,
                    sentence: format!("{} forbids it, but {why}.", model.title()),
                    why: None,
                    violation: None,
                    drawing: None,
                    position: None,
                })
            }
            _ => None,
        });
        Some(ContrastView { row, outcome: report.outcome_text(&outcome.state), allowed, forbidden })
    }
}

/// What each model says of the condition's proposition.
fn asked(comparison: &Comparison) -> Vec<AskedView> {
    let by_model = |column: usize| {
        let Some(explored) = comparison.models.get(column) else { return AskedView::Unknown };
        let satisfying = comparison.outcomes.iter().filter(|outcome| outcome.satisfies == Some(true));
        let executions: u64 = satisfying
            .map(|outcome| match outcome.cells[column] {
                Cell::Allowed { executions, .. } => executions,
                _ => 0,
            })
            .sum();
        match executions {
            0 if explored.stopped || explored.undecided || explored.counts.bounded > 0 => AskedView::Unknown,
            0 => AskedView::Forbidden,
            executions => AskedView::Allowed { executions },
        }
    };
    (0..Model::ALL.len()).map(by_model).collect()
}

/// What the page shows of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonView {
    /// What an outcome consists of, by name.
    pub columns: Vec<String>,
    /// The models, in the order of the cells.
    pub models: Vec<Model>,
    /// The condition as it is written.
    pub condition: Option<String>,
    /// The outcomes known so far, sorted.
    pub rows: Vec<ComparedRow>,
    /// How many are left out at the end.
    pub left_out: u64,
    /// Outcomes that the condition asks for and no candidate has.
    pub absent: Vec<AbsentRow>,
    /// What each model says of the condition's proposition; `None` without a condition.
    pub asked: Option<Vec<AskedView>>,
    /// What has to be known to read the table, a sentence each.
    pub notes: Vec<String>,
    /// Whether a bound cut something, so that outcomes may be missing.
    pub bounded: bool,
    /// Whether the comparison is at its end.
    pub done: bool,
    /// What is being done, in a few words.
    pub doing: String,
}

/// An outcome under all models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedRow {
    /// The values as they are shown, by column.
    pub values: Vec<String>,
    /// The same in a line.
    pub outcome: String,
    /// Whether it satisfies the condition's proposition; `None` without a condition.
    pub satisfies: Option<bool>,
    /// What each model says.
    pub cells: Vec<CellView>,
}

/// What a model says of an outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellView {
    /// Some execution ends in it.
    Allowed {
        /// How many.
        executions: u64,
    },
    /// None does.
    Forbidden {
        /// The axiom that rules it out by the shortest cycle, where that is known.
        axiom: Option<String>,
    },
    /// Not known, or not yet.
    Unknown,
}

/// What a model says of the condition's proposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskedView {
    /// Executions end in states that satisfy it.
    Allowed {
        /// How many.
        executions: u64,
    },
    /// None does.
    Forbidden,
    /// None was found, but not everything was explored.
    Unknown,
}

/// An outcome without candidates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbsentRow {
    /// The values asked for; `None` where any would do.
    pub values: Vec<Option<String>>,
    /// The same in a line.
    pub outcome: String,
    /// Why there is no candidate.
    pub sentence: String,
}

/// Two executions that end in the same outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContrastView {
    /// The row of the outcome.
    pub row: usize,
    /// The outcome in a line.
    pub outcome: String,
    /// One that a model allows.
    pub allowed: Option<SideView>,
    /// One that a model forbids.
    pub forbidden: Option<SideView>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SideView {
    /// The model.
    pub model: Model,
    /// What it says, in a sentence.
    pub sentence: String,
    /// Why a model allows it.
    #[serde(default)]
    pub why: Option<String>,
    /// What is violated, and by which cycle.
    pub violation: Option<ViolationView>,
    /// The graph, with the cycle brought out.
    pub drawing: Option<Drawing>,
    /// After how many steps GenMC has this execution whole under this model.
    pub position: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORE_BUFFERING: &str = "x := 1 || y := 1\na := y || b := x\nexists (P0:a = 0 /\\ P1:b = 0)";

    fn compare(text: &str) -> Comparing {
        let mut comparing =
            Comparing::open(text.to_owned(), Options::default(), ComparisonBounds::default()).expect("a program");
        while comparing.advance() {}
        comparing
    }

    #[test]
    fn store_buffering_tells_sc_from_the_others() {
        let comparing = compare(STORE_BUFFERING);
        let view = comparing.view();
        assert!(view.done && !view.bounded);
        assert_eq!(view.columns, ["P0:a", "P1:b"]);
        assert_eq!(view.rows.len(), 4);
        let weak = &view.rows[0];
        assert_eq!((&weak.values, weak.satisfies), (&vec!["0".to_owned(), "0".to_owned()], Some(true)));
        let allowed: Vec<bool> = weak.cells.iter().map(|cell| matches!(cell, CellView::Allowed { .. })).collect();
        assert_eq!(allowed, Model::ALL.map(|model| model != Model::SC));
        let asked = view.asked.expect("there is a condition");
        assert_eq!(asked[0], AskedView::Forbidden);
        assert_eq!(asked[1], AskedView::Allowed { executions: 1 });

        let contrast = comparing.contrast(0, Some(Model::TSO), Some(Model::SC)).expect("the row is there");
        let (allowed, forbidden) = (contrast.allowed.expect("by TSO"), contrast.forbidden.expect("by SC"));
        assert!(allowed.position.is_some_and(|position| position > 0) && allowed.violation.is_none());
        assert!(forbidden.sentence.starts_with("SC forbids it"), "{}", forbidden.sentence);
        let drawing = forbidden.drawing.expect("there is a reason");
        assert_eq!(drawing.edges.iter().filter(|edge| edge.in_cycle).count(), 4);
        let violation = forbidden.violation.expect("and its cycle");
        assert_eq!(violation.steps.iter().filter(|step| step.arrow.contains("fr")).count(), 2);
        assert!(violation.breach.contains("would come before itself"), "{}", violation.breach);
        // Why it is allowed, by each kind of model.
        let why = |row, model| comparing.contrast(row, Some(model), None)?.allowed?.why;
        let buffered = why(0, Model::TSO).expect("it is allowed");
        assert!(buffered.starts_with("TSO does not keep W(x,1) before R(y,0): the write waits"), "{buffered}");
        let rules = why(0, Model::RA).expect("it is allowed");
        assert!(rules.starts_with("Its rules: apart from SC fences"), "{rules}");
        assert_eq!(why(1, Model::RA).as_deref(), Some("The threads can take turns so that it does."));
        // No model says what it does not say.
        let turned = comparing.contrast(0, Some(Model::SC), Some(Model::TSO)).expect("the row is there");
        assert_eq!((turned.allowed, turned.forbidden), (None, None));
        assert_eq!(comparing.contrast(4, None, None), None);
    }

    #[test]
    fn a_comparison_shows_what_it_has_found_so_far() {
        let text = STORE_BUFFERING.to_owned();
        let mut comparing = Comparing::open(text, Options::default(), ComparisonBounds::default()).expect("a program");
        let mut rows = Vec::new();
        while comparing.advance() {
            let view = comparing.view();
            assert!(!view.done && !view.doing.is_empty());
            assert!(view.rows.iter().all(|row| row.cells.len() == Model::ALL.len()));
            rows.push(view.rows.len());
        }
        // SC alone has three of them, TSO the fourth.
        assert!(rows.is_sorted() && rows.contains(&3) && rows.contains(&4), "{rows:?}");
    }

    #[test]
    fn what_is_asked_for_in_vain_is_said() {
        let view = compare("a := x || b := y\ny := a || x := b\nexists (P0:a = 1 /\\ P1:b = 1)").view();
        assert_eq!(view.absent.len(), 1);
        assert!(view.absent[0].sentence.starts_with("no candidate execution"), "{}", view.absent[0].sentence);
        assert!(view.asked.expect("there is a condition").iter().all(|asked| *asked == AskedView::Forbidden));
    }

    #[test]
    fn broken_texts_are_refused() {
        assert!(Comparing::open("a := (".to_owned(), Options::default(), ComparisonBounds::default()).is_err());
    }
}
