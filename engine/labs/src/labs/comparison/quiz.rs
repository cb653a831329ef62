//! Questions: whether a model allows an outcome. The answer is always found by exploring.
//!
//! A question is a program whose condition is replaced by the outcome asked for, and a listing of it without comments, condition
//! and model. Its answer is read off a comparison of all models, with the row whose witness or cycle shows it. So a script can't
//! hold a wrong answer.

use super::{AskedView, CellView, ComparisonView};
use crate::model::Model;
use crate::program::{Notation, Program, Quantifier};
use crate::sort;
use crate::syntax::{self, Diagnostic, TokenClass};
use crate::words;
use serde::{Deserialize, Serialize};

/// A question on a program, as it is put to somebody who is to think.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The program with the outcome as its condition: what [`super::Comparing`] is to compare.
    pub text: String,
    /// The program to be read: without comments, condition and model, which may give the answer away.
    pub listing: String,
    /// The program's name; may be empty.
    pub name: String,
    /// The outcome.
    pub outcome: String,
    /// The model.
    pub model: Model,
}

/// What is true of the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuizAnswer {
    /// Some execution ends so.
    Allowed,
    /// None does.
    Forbidden,
    /// None was found, but not everything was explored.
    Unknown,
}

/// The answer with what shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The answer.
    pub answer: QuizAnswer,
    /// The same in a sentence.
    pub sentence: String,
    /// The row of the comparison that shows it, by a witness or by a cycle; `None` where no candidate has the outcome.
    pub row: Option<usize>,
}

impl QuizAnswer {
    /// The answer as one says it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Allowed => "Allowed",
            Self::Forbidden => "Forbidden",
            Self::Unknown => "Not known",
        }
    }

    /// The answer held against what somebody said.
    pub fn verdict(self, said: Option<Self>) -> String {
        match (self, said) {
            (Self::Unknown, _) => "This is not known yet.".to_owned(),
            (_, None) => format!("{}.", self.title()),
            (_, Some(said)) if said == self => format!("You said {}, and that is right.", said.title().to_lowercase()),
            (_, Some(said)) => {
                format!("You said {}, but it is {}.", said.title().to_lowercase(), self.title().to_lowercase())
            }
        }
    }
}

impl Asked {
    /// Asks whether a model allows an outcome of a program, by default what its condition speaks of. Of `forall`, the
    /// question is whether it can end otherwise.
    ///
    /// # Errors
    /// Why there is nothing to ask, in words: a text that is no program, an outcome that can't be read, no condition.
    pub fn new(text: &str, outcome: Option<&str>, model: Model) -> Result<Self, String> {
        let first = |diagnostics: Vec<Diagnostic>| {
            diagnostics.into_iter().next().map_or_else(String::new, |diagnostic| diagnostic.message)
        };
        let program =
            syntax::parse(text).map_err(|errors| format!("the program can't be read: {}", first(errors)))?.program;
        let condition = program.condition.as_ref().map(|condition| {
            let span = condition.span;
            (condition.quantifier, span.start as usize..span.end as usize, span.on_one_line(text))
        });
        let outcome = match (outcome, &condition) {
            (Some(outcome), _) if outcome.contains('\n') => return Err("an outcome is one line".to_owned()),
            (Some(outcome), _) => outcome.trim().to_owned(),
            (None, Some((quantifier, _, condition))) => {
                let said = proposition(condition);
                if *quantifier == Quantifier::ForAll { format!("~({said})") } else { said.to_owned() }
            }
            (None, None) => return Err("the program has no condition to ask for".to_owned()),
        };
        let asked = format!("exists ({outcome})");
        let text = match &condition {
            Some((_, span, _)) if text.get(span.clone()).is_some() => {
                format!("{}{asked}{}", &text[..span.start], &text[span.end..])
            }
            _ => format!("{}\n\n{asked}\n", text.trim_end()),
        };
        let changed = syntax::parse(&text)
            .map_err(|errors| format!("the outcome `{outcome}` can't be read: {}", first(errors)))?
            .program;
        if changed.threads.len() != program.threads.len() {
            return Err(format!("the outcome `{outcome}` is more than an outcome"));
        }
        Ok(Self { listing: listing(&text, &changed), text, name: program.name, outcome, model })
    }

    /// The question in a sentence.
    pub fn sentence(&self) -> String {
        format!("Can it end so under {}?", self.model.title())
    }

    /// The answer, at the end of the comparison of [`Self::text`].
    pub fn answer(&self, comparison: &ComparisonView) -> Option<Answered> {
        let column = comparison.models.iter().position(|model| *model == self.model)?;
        let asked = comparison.asked.as_ref().filter(|_| comparison.done)?.get(column)?;
        let model = self.model.title();
        let row = |shows: &dyn Fn(&CellView) -> bool| {
            comparison.rows.iter().position(|row| row.satisfies == Some(true) && shows(&row.cells[column]))
        };
        Some(match asked {
            AskedView::Allowed { executions } => {
                let ends = words::by_number(*executions, "ends", "end");
                let ends = format!("{} {ends}", words::count_in_words(*executions, "execution"));
                let row = row(&|cell| matches!(cell, CellView::Allowed { .. }));
                Answered { answer: QuizAnswer::Allowed, sentence: format!("{model} allows it: {ends} so."), row }
            }
            AskedView::Forbidden => {
                let row = row(&|cell| matches!(cell, CellView::Forbidden { axiom: Some(_) }))
                    .or_else(|| row(&|cell| matches!(cell, CellView::Forbidden { .. })));
                let why = comparison.absent.first().filter(|_| row.is_none()).map(|absent| absent.sentence.as_str());
                let why = why.map_or_else(|| ".".to_owned(), |why| format!(": {why}."));
                let sentence = format!("{model} forbids it{}", why.replace("..", "."));
                Answered { answer: QuizAnswer::Forbidden, sentence, row }
            }
            AskedView::Unknown => Answered {
                answer: QuizAnswer::Unknown,
                sentence: format!(
                    "No execution under {model} was found that ends so, but not everything was explored."
                ),
                row: None,
            },
        })
    }
}

/// A condition without its quantifier.
fn proposition(condition: &str) -> &str {
    let said = condition.trim_start_matches(['~', ' ']);
    let said = said.strip_prefix("not ").unwrap_or(said).trim_start();
    let said = ["exists", "forall"].iter().find_map(|word| said.strip_prefix(word)).unwrap_or(said).trim();
    // One pair of brackets around all of it says nothing.
    let inner = said.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let balanced = |text: &str| {
        let mut depth = 0i32;
        text.chars().all(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth >= 0
        }) && depth == 0
    };
    inner.filter(|inner| balanced(inner)).map_or(said, str::trim)
}

/// A program without what may give an answer away.
fn listing(text: &str, program: &Program) -> String {
    let mut cuts: Vec<_> = syntax::highlight(text, program.notation)
        .into_iter()
        .filter(|(_, class)| *class == TokenClass::Comment)
        .map(|(range, _)| range)
        .collect();
    cuts.extend(program.condition.as_ref().map(|c| c.span.start as usize..c.span.end as usize));
    sort::by_key(&mut cuts, |range| range.start);
    let mut kept = String::new();
    let mut at = 0;
    for cut in cuts {
        kept += text.get(at..cut.start).unwrap_or_default();
        at = at.max(cut.end);
    }
    kept += text.get(at..).unwrap_or_default();
    let herd = program.notation != Notation::Litmoscope;
    let tells = |line: &str| {
        let line = line.trim_start();
        if herd { line.starts_with('"') } else { line.starts_with("name ") || line.starts_with("model ") }
    };
    let mut lines: Vec<&str> = Vec::new();
    for line in kept.lines().filter(|line| !tells(line)).map(str::trim_end) {
        if !line.is_empty() || lines.last().is_some_and(|last| !last.is_empty()) {
            lines.push(line);
        }
    }
    lines.join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::Comparing;
    use super::*;
    use crate::compare::ComparisonBounds;
    use crate::explore::Options;

    const STORE_BUFFERING: &str = "name SB\nmodel tso\n// Both miss it under TSO.\nx := 1 || y := 1 // hint\na := y || b := x\n\n\
                                   // Can they?\n~exists (P0:a = 0 /\\ P1:b = 0)\n";

    fn answered(text: &str, outcome: Option<&str>, model: Model) -> (Asked, Answered, Comparing) {
        let asked = Asked::new(text, outcome, model).expect("a question");
        let mut comparing =
            Comparing::open(asked.text.clone(), Options::default(), ComparisonBounds::default()).expect("a program");
        assert_eq!(asked.answer(&comparing.view()), None, "nothing is known before it is explored");
        while comparing.advance() {}
        let answered = asked.answer(&comparing.view()).expect("it was compared");
        (asked, answered, comparing)
    }

    #[test]
    fn models_are_asked() {
        let (asked, tso, comparing) = answered(STORE_BUFFERING, None, Model::TSO);
        assert_eq!(asked.outcome, "P0:a = 0 /\\ P1:b = 0");
        assert_eq!(asked.listing, "x := 1 || y := 1\na := y || b := x");
        assert_eq!(asked.sentence(), "Can it end so under TSO?");
        assert_eq!((tso.answer, tso.sentence.as_str()), (QuizAnswer::Allowed, "TSO allows it: one execution ends so."));
        let row = tso.row.expect("there is a witness");
        let shown = comparing.contrast(row, Some(Model::TSO), Some(Model::TSO)).expect("the row is there");
        assert!(shown.allowed.is_some() && shown.forbidden.is_none());

        let (_, sc, comparing) = answered(STORE_BUFFERING, None, Model::SC);
        assert_eq!((sc.answer, sc.sentence.as_str()), (QuizAnswer::Forbidden, "SC forbids it."));
        let shown = comparing.contrast(sc.row.expect("a row"), Some(Model::SC), Some(Model::SC)).expect("it is there");
        assert!(shown.forbidden.is_some_and(|side| side.violation.is_some()));
    }

    #[test]
    fn other_outcomes_can_be_asked_for() {
        let (asked, one, _) = answered(STORE_BUFFERING, Some("P0:a = 1 /\\ P1:b = 1"), Model::SC);
        assert_eq!((asked.outcome.as_str(), one.answer), ("P0:a = 1 /\\ P1:b = 1", QuizAnswer::Allowed));
        let (_, never, _) = answered("x := 1 || a := x", Some("P1:a = 7"), Model::RA);
        assert_eq!((never.answer, never.row), (QuizAnswer::Forbidden, None));
        assert!(never.sentence.starts_with("RA forbids it: "), "{}", never.sentence);
    }

    #[test]
    fn of_forall_the_question_is_whether_it_can_end_otherwise() {
        let text = "x := 1 || a := x\nforall (P1:a = 0 \\/ P1:a = 1)";
        let (asked, answered, _) = answered(text, None, Model::SC);
        assert_eq!(asked.outcome, "~(P1:a = 0 \\/ P1:a = 1)");
        assert_eq!(answered.answer, QuizAnswer::Forbidden);
    }

    #[test]
    fn what_is_cut_is_not_known() {
        let text = "x := 1 || r := 0; while r < 9 { r := r + 1; a := x }; b := x\nexists (P1:b = 7)";
        let asked = Asked::new(text, None, Model::SC).expect("a question");
        let options = Options::within(crate::program::Limits { unroll: 2, ..Default::default() });
        let mut comparing =
            Comparing::open(asked.text.clone(), options, ComparisonBounds::default()).expect("a program");
        while comparing.advance() {}
        assert_eq!(asked.answer(&comparing.view()).map(|answered| answered.answer), Some(QuizAnswer::Unknown));
    }

    #[test]
    fn what_can_t_be_asked_is_said() {
        let wrong = |text: &str, outcome| Asked::new(text, outcome, Model::SC).expect_err("it can't be asked");
        assert_eq!(wrong("x := 1 || a := x", None), "the program has no condition to ask for");
        assert!(wrong("x := (", None).starts_with("the program can't be read: "));
        assert!(wrong("x := 1 || a := x", Some("P1:a = ")).starts_with("the outcome `P1:a =` can't be read: "));
        assert!(wrong("x := 1 || a := x", Some("P9:a = 1")).starts_with("the outcome"));
        assert_eq!(wrong("x := 1 || a := x", Some("P1:a = 1\n)")), "an outcome is one line");
    }

    #[test]
    fn an_answer_is_held_against_what_was_said() {
        let (yes, no) = (QuizAnswer::Allowed, QuizAnswer::Forbidden);
        assert_eq!(yes.verdict(Some(yes)), "You said allowed, and that is right.");
        assert_eq!(no.verdict(Some(yes)), "You said allowed, but it is forbidden.");
        assert_eq!(no.verdict(None), "Forbidden.");
    }

    #[test]
    fn conditions_are_taken_apart() {
        for (condition, said) in [
            ("exists (a = 0)", "a = 0"),
            ("~exists (P0:a = 0 /\\ P1:b = 0)", "P0:a = 0 /\\ P1:b = 0"),
            ("~ exists (a = 0) /\\ (b = 1)", "(a = 0) /\\ (b = 1)"),
            ("forall a = 0", "a = 0"),
        ] {
            assert_eq!(proposition(condition), said);
        }
    }
}
