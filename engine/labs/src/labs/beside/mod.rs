//! Two explorations side by side, of one program or of two: how far each has come, and what tells them apart.

use crate::explore::Counts;
use crate::session::{OutcomeRow, OutcomesView, Settings};
use crate::words;
use serde::{Deserialize, Serialize};

/// How many outcomes that only one has are named.
const MAX_NAMED: usize = 4;

/// A number among those counted.
type Count = fn(&Counts) -> u64;

/// One of two explorations, as far as it has come.
#[derive(Clone, Copy, Debug)]
pub struct Contender<'a> {
    /// What it explores, and how.
    pub settings: &'a Settings,
    /// What it counted.
    pub counts: Counts,
    /// Whether nothing is left to explore.
    pub done: bool,
    /// What it found.
    pub outcomes: &'a OutcomesView,
}

/// What the page shows of two explorations together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BesideView {
    /// What to call each: what tells it from the other.
    pub names: [String; 2],
    /// What both counted.
    pub bars: Vec<BarView>,
    /// What tells them apart, a sentence each.
    pub sentences: Vec<String>,
}

/// A number that both have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BarView {
    /// What is counted.
    pub name: String,
    /// How many each has.
    pub counts: [u64; 2],
    /// The same in percent of the greater one.
    pub percent: [u8; 2],
}

impl BesideView {
    /// What there is to say of two explorations. Linear in their outcomes.
    pub fn new(sides: [Contender<'_>; 2]) -> Self {
        let names = names(sides.map(|side| side.settings));
        let bar = |(name, count): (&str, Count)| {
            let counts = sides.map(|side| count(&side.counts));
            let most = counts[0].max(counts[1]).max(1);
            let percent = counts.map(|count| (u128::from(count) * 100).div_ceil(u128::from(most)) as u8);
            BarView { name: name.to_owned(), counts, percent }
        };
        let counted: [(&str, Count); 4] = [
            ("executions", Counts::executions),
            ("steps", |counts| counts.steps),
            ("revisits", |counts| counts.revisits),
            ("dropped", |counts| counts.dropped),
        ];
        let sentences = std::iter::once(progress(&names, &sides)).chain(differences(&names, &sides)).collect();
        Self { bars: counted.into_iter().map(bar).collect(), sentences, names }
    }
}

/// What to call them: by the model or the algorithm where that tells them apart.
fn names([left, right]: [&Settings; 2]) -> [String; 2] {
    if left.text != right.text {
        return ["Left".to_owned(), "Right".to_owned()];
    }
    match (left.model == right.model, left.algorithm == right.algorithm) {
        (true, true) => ["Left".to_owned(), "Right".to_owned()],
        (true, false) => [left, right].map(|side| side.algorithm.title().to_owned()),
        (false, true) => [left, right].map(|side| side.model.title().to_owned()),
        (false, false) => [left, right].map(|side| format!("{} under {}", side.algorithm.title(), side.model.title())),
    }
}

fn steps(counts: &Counts) -> String {
    words::count(counts.steps, "step")
}

/// Who is at the end.
fn progress(names: &[String; 2], sides: &[Contender<'_>; 2]) -> String {
    let [left, right] = names;
    let [of_left, of_right] = [0, 1].map(|at| steps(&sides[at].counts));
    match [sides[0].done, sides[1].done] {
        [true, true] => format!("Both are at their ends: {left} after {of_left}, {right} after {of_right}."),
        [true, false] => format!("{left} is at its end after {of_left}; {right} is not, after {of_right}."),
        [false, true] => format!("{right} is at its end after {of_right}; {left} is not, after {of_left}."),
        [false, false] => format!("Neither is at its end: {left} has made {of_left}, {right} {of_right}."),
    }
}

fn differences(names: &[String; 2], sides: &[Contender<'_>; 2]) -> Vec<String> {
    let partial = |side: &Contender<'_>| side.outcomes.too_many || side.outcomes.left_out > 0;
    if sides.iter().any(partial) {
        return vec!["There are too many outcomes to compare them.".to_owned()];
    }
    if sides[0].outcomes.columns != sides[1].outcomes.columns {
        return vec![
            "The two programs do not end in values of the same names: their outcomes can't be compared.".to_owned(),
        ];
    }
    let only = |one: usize| -> Vec<String> {
        let has = |side: &Contender<'_>, row: &OutcomeRow| side.outcomes.rows.iter().any(|o| o.values == row.values);
        let rows = sides[one].outcomes.rows.iter().filter(|row| !has(&sides[1 - one], row));
        rows.map(|row| outcome(sides[one].outcomes, row)).collect()
    };
    let mut sentences = Vec::new();
    for one in [0, 1] {
        let only = only(one);
        if only.is_empty() {
            continue;
        }
        let more = match only.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let list = only[..only.len().min(MAX_NAMED)].join("; ");
        // What the other one does not have yet, it may still find.
        let when = if sides[1 - one].done { "Only" } else { "So far, only" };
        sentences.push(format!("{when} {} has {list}{more}.", names[one]));
    }
    if sentences.is_empty() && sides.iter().all(|side| side.done) {
        let count = sides[0].outcomes.rows.len();
        sentences.push(match count {
            0 => "Neither has an outcome.".to_owned(),
            1 => "Both have the same outcome.".to_owned(),
            n => format!("Both have the same {}.", words::count(n as u64, "outcome")),
        });
    }
    sentences
}

/// An outcome as a line.
fn outcome(outcomes: &OutcomesView, row: &OutcomeRow) -> String {
    let values = outcomes.columns.iter().zip(&row.values);
    values.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::Algorithm;
    use crate::model::Model;
    use crate::session::Session;

    const STORE_BUFFERING: &str = "x := 1; a := y || y := 1; b := x";

    fn view(sides: [(Model, Algorithm, u64); 2]) -> BesideView {
        view_of(sides.map(|side| (STORE_BUFFERING, side)))
    }

    fn view_of(sides: [(&str, (Model, Algorithm, u64)); 2]) -> BesideView {
        let sessions = sides.map(|(text, (model, algorithm, steps))| {
            let settings = Settings { text: text.to_owned(), model, algorithm, ..Settings::default() };
            let mut session = Session::open(settings).expect("a program");
            session.run(steps);
            session
        });
        let settings = sessions.each_ref().map(Session::settings);
        let outcomes = sessions.each_ref().map(Session::outcomes);
        BesideView::new([0, 1].map(|at| Contender {
            settings: &settings[at],
            counts: sessions[at].counts(),
            done: sessions[at].is_done(),
            outcomes: &outcomes[at],
        }))
    }

    #[test]
    fn two_programs() {
        let whole = (Model::TSO, Algorithm::Genmc, u64::MAX);
        let view = |right: &str| view_of([(STORE_BUFFERING, whole), (right, whole)]);
        let fenced = view("x := 1; fence sc; a := y || y := 1; fence sc; b := x");
        assert_eq!(fenced.names, ["Left", "Right"]);
        assert_eq!(fenced.sentences[1..], ["Only Left has P0:a=0 P1:b=0 x=1 y=1."]);
        let other = view("x := 1 || k := x");
        assert!(other.sentences[1].contains("can't be compared"), "{:?}", other.sentences);
    }

    #[test]
    fn two_models() {
        let view = view([(Model::SC, Algorithm::Genmc, u64::MAX), (Model::TSO, Algorithm::Genmc, u64::MAX)]);
        assert_eq!(view.names, ["SC", "TSO"]);
        assert_eq!((view.bars[0].counts, view.bars[0].percent), ([3, 4], [75, 100]));
        assert!(view.sentences[0].starts_with("Both are at their ends: SC after "), "{:?}", view.sentences);
        assert_eq!(view.sentences[1..], ["Only TSO has P0:a=0 P1:b=0 x=1 y=1."]);
    }

    #[test]
    fn two_algorithms() {
        let both = [(Model::SC, Algorithm::Genmc, u64::MAX), (Model::SC, Algorithm::BruteForce, u64::MAX)];
        let view = view(both);
        assert_eq!(view.names, ["GenMC", Algorithm::BruteForce.title()]);
        assert_eq!(view.sentences[1..], ["Both have the same 3 outcomes."]);
    }

    #[test]
    fn one_is_behind() {
        let view = view([(Model::SC, Algorithm::Genmc, 0), (Model::SC, Algorithm::Genmc, u64::MAX)]);
        assert_eq!(view.names, ["Left", "Right"]);
        assert_eq!(view.bars[1].percent, [0, 100]);
        assert!(view.sentences[0].starts_with("Right is at its end after "), "{:?}", view.sentences);
        assert!(view.sentences[1].starts_with("So far, only Right has P0:a="), "{:?}", view.sentences);
    }
}
