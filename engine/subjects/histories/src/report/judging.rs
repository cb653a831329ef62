//! A recording that is looked at: what is known of it, and what the page shows of that.

use super::sequence::{MAX_MOVED, MAX_REPLAYED, Order};
use super::steps::{Shown, Stepped};
use super::text::{HistoryReport, Printed, Words, decided_by};
use super::timeline::{Layout, Sight, value_of};
use super::view::{
    Contradiction, HistoryRequest, HistoryVerdict, HistoryView, Mark, Part, Points, Timeline, ToldOperations,
};
use crate::budget::Budget;
use crate::program::Limits;
use crate::syntax::Diagnostic;
use crate::words::{count, grouped};
use crate::{
    Answer, History, Judgement, Linearization, Minimal, Monitor, Object, OperationIndex, ReadOptions, Search,
    ValueIndex, Violation, judge, minimise, parse_history,
};
use std::cell::OnceCell;

/// How many operations the page takes.
pub const MAX_OPERATIONS: usize = 1_000_000;
/// How many units of work may be spent to find the few operations that contradict each other: some seconds.
const MINIMISING: u64 = 1 << 32;
/// How many operations a reason lights.
const LIT: usize = 400;
/// How many moments are in sight at first, of a long history.
const OPENING: f64 = 160.0;
/// Contradictions with more operations are not drawn beside the whole.
const MAX_BESIDE: usize = 200;

/// What was found out about one history, taken for one object, by one monitor.
struct Known {
    choice: usize,
    object: Object,
    monitor: Monitor,
    judgement: Judgement,
    printed: Option<Printed>,
    layout: Layout,
    minimal: Minimising,
    /// Where there is no linearization: the order that leads furthest, of the whole and of the few that contradict each other.
    furthest: [OnceCell<Linearization>; 2],
}

/// Where the search for the few operations that contradict each other is.
enum Minimising {
    /// There are none.
    Needless,
    /// It has not begun.
    Due,
    Found(Box<(Minimal, Layout)>),
    /// It was given up.
    GivenUp,
}

/// A recording, and what is known of it.
pub struct HistoryJudging {
    histories: Vec<History>,
    known: Option<Known>,
}

impl HistoryJudging {
    /// Reads a recording in whatever format it has.
    ///
    /// # Errors
    /// What is wrong with the text: at least one message.
    pub fn open(text: &str) -> Result<Self, Vec<Diagnostic>> {
        let options = ReadOptions { max_operations: MAX_OPERATIONS, ..ReadOptions::default() };
        let (recording, _) = parse_history(text, &options)?;
        Ok(Self { histories: recording.histories, known: None })
    }

    /// A history that was never a text.
    pub(super) fn of(history: History) -> Self {
        Self { histories: vec![history], known: None }
    }

    /// What the page shows. What is asked about is judged first, if it was not yet.
    pub fn view(&mut self, request: &HistoryRequest) -> HistoryView {
        let choice = (request.choice as usize).min(self.histories.len().saturating_sub(1));
        let nothing = History::default();
        let history = self.histories.get(choice).unwrap_or(&nothing);
        let Some(object) = request.object.or(history.object) else { return self.unjudged(choice, request) };
        let is_known =
            |known: &Known| known.choice == choice && known.object == object && known.monitor == request.monitor;
        if !self.known.as_ref().is_some_and(is_known) {
            self.known = Some(Known::new(history, choice, object, request.monitor));
        }
        let known = self.known.as_ref().expect("it is known now");
        let mut view = known.view(history, request);
        view.histories = self.names();
        view
    }

    /// Looks for the few operations that contradict each other, if that is due.
    pub fn go_on(&mut self) {
        if let Some(known) = &mut self.known
            && let Some(history) = self.histories.get(known.choice)
        {
            known.minimise(history);
        }
    }

    fn names(&self) -> Vec<String> {
        let name = |(place, history): (usize, &History)| match &history.name[..] {
            "" => format!("history {}", place + 1),
            name => name.to_owned(),
        };
        self.histories.iter().enumerate().map(name).collect()
    }

    /// Nobody knows what the object is: the operations, without more.
    fn unjudged(&self, choice: usize, request: &HistoryRequest) -> HistoryView {
        let nothing = History::default();
        let history = self.histories.get(choice).unwrap_or(&nothing);
        let layout = Layout::new(history);
        // The names of a set's operations fit everything.
        let sight = sight(history, Object::Set, &layout, request.window, request, &[]);
        HistoryView {
            histories: self.names(),
            choice: choice as u32,
            objects: objects(),
            size: size(history),
            verdict: HistoryVerdict::NoObject,
            sentence: "The recording does not say what its object is: choose what it is to be.".to_owned(),
            timeline: sight.draw(&|_| Mark::Plain, Vec::new()),
            ..HistoryView::default()
        }
    }
}

fn objects() -> Vec<(Object, String)> {
    Object::ALL.into_iter().map(|object| (object, object.name().to_owned())).collect()
}

fn report<'a>(history: &'a History, object: Object, judgement: Option<&'a Judgement>) -> HistoryReport<'a> {
    let name = if history.name.is_empty() { "This history" } else { &history.name };
    HistoryReport { name, history, object, judgement, minimal: None, is_minimal_stopped: false, printed: None }
}

fn size(history: &History) -> String {
    report(history, Object::Set, None).size()
}

/// What is in sight: what was asked for, or else `wrong` with some room, or the beginning.
fn sight<'a>(
    history: &'a History,
    object: Object,
    layout: &'a Layout,
    window: Option<(f64, f64)>,
    request: &HistoryRequest,
    wrong: &'a [OperationIndex],
) -> Sight<'a> {
    let end = history.times.len() as f64;
    // A link may ask for anything; around the timeline there is some room.
    let near = window
        .filter(|(from, to)| from.is_finite() && to.is_finite())
        .map(|(from, to)| (from.max(-end - 2.0), to.min(2.0 * end + 2.0)));
    let window = near.filter(|(from, to)| from < to).unwrap_or_else(|| {
        if end <= OPENING {
            return (-1.0, end);
        }
        let about = wrong.iter().map(|&operation| history.operation(operation));
        let from = about.clone().map(|about| f64::from(about.call.0)).reduce(f64::min);
        let to = about.map(|about| about.ret.map_or(end, |ret| f64::from(ret.0))).reduce(f64::max);
        match (from, to) {
            (Some(from), Some(to)) => {
                let margin = ((to - from) / 5.0).max((OPENING - (to - from)) / 2.0).max(2.0);
                ((from - margin).max(-1.0), (to + margin).min(end))
            }
            _ => (-1.0, OPENING),
        }
    });
    Sight { history, object, layout, window, rows: request.rows, width: request.width, wrong }
}

/// The operations with some values.
fn with_values(history: &History, values: &[ValueIndex]) -> Vec<OperationIndex> {
    let mut is_one = vec![false; history.values.len()];
    values.iter().for_each(|value| is_one[value.index()] = true);
    let all = history.indexed();
    let all = all.filter(|(_, operation)| value_of(operation.action).is_some_and(|value| is_one[value.index()]));
    all.map(|(index, _)| index).take(LIT).collect()
}

/// The operations that a violation is about.
fn about(history: &History, violation: &Violation) -> Vec<OperationIndex> {
    let mut operations = match violation {
        Violation::RemovedTwice { first, second } => vec![*first, *second],
        Violation::NeverInserted { operation } | Violation::NoOrder { operation } => vec![*operation],
        Violation::RemovedBeforeInserted { removal, insertion } => vec![*removal, *insertion],
        Violation::NeverEmpty { removal, chain } => {
            let mut operations = with_values(history, chain);
            operations.push(*removal);
            operations
        }
        Violation::Critical { around, inside } => with_values(history, &[*around, *inside]),
        Violation::Stuck { values, .. } => {
            with_values(history, &values.iter().map(|(value, _)| *value).collect::<Vec<_>>())
        }
        Violation::NothingToLinearize { operation, spent, .. } => {
            let spent = spent.iter().take(LIT).flat_map(|&(operation, sake)| [operation, sake]);
            spent.chain([*operation]).collect()
        }
    };
    operations.sort_unstable();
    operations.dedup();
    operations
}

/// The values that a violation is about.
fn values_of(history: &History, violation: &Violation) -> Vec<ValueIndex> {
    let mut values = Vec::new();
    for operation in about(history, violation) {
        values.extend(value_of(history.operation(operation).action).filter(|value| !values.contains(value)));
    }
    values
}

fn numbers(operations: &[OperationIndex]) -> Vec<u32> {
    operations.iter().map(|operation| operation.0).collect()
}

/// A sentence on operations, with the stretch of time that they take.
fn told(history: &History, text: String, operations: &[OperationIndex]) -> ToldOperations {
    let about = operations.iter().map(|&operation| history.operation(operation));
    let from = about.clone().map(|about| f64::from(about.call.0)).reduce(f64::min);
    let end = history.times.len() as f64;
    let to = about.map(|about| about.ret.map_or(end, |ret| f64::from(ret.0))).reduce(f64::max);
    ToldOperations { text, operations: numbers(operations), stretch: from.zip(to) }
}

/// Why a history is not linearizable, the main reason first.
fn reasons(words: &Words<'_>, violation: &Violation) -> Vec<ToldOperations> {
    const MOST: usize = 40;
    let history = words.history;
    let mut reasons = vec![told(history, words.violation(violation), &about(history, violation))];
    let details = words.reasons(violation);
    let operations: Vec<Vec<OperationIndex>> = match violation {
        Violation::Stuck { values, chain } => {
            let mut all: Vec<_> = values.iter().take(MOST).map(|(value, _)| with_values(history, &[*value])).collect();
            all.resize(values.len(), Vec::new());
            all.push(with_values(history, chain));
            all
        }
        Violation::NothingToLinearize { spent, .. } => spent.iter().map(|&(a, b)| vec![a, b]).collect(),
        _ => Vec::new(),
    };
    let left_out = details.len().saturating_sub(MOST);
    let details = details.into_iter().zip(operations);
    reasons.extend(details.take(MOST).map(|(text, all)| told(history, text, &all)));
    if left_out > 0 {
        let text = format!("And {} more such reasons.", grouped(left_out as u64));
        reasons.push(told(history, text, &[]));
    }
    reasons
}

/// The order that leads furthest.
fn furthest(history: &History, object: Object) -> Linearization {
    let mut search = Search::new(history, object, Limits::default().search);
    match search.run(&mut Budget::unlimited()).expect("nobody pauses it") {
        Answer::Linearizable(linearization) => linearization,
        Answer::Not(_) | Answer::Unknown(_) => search.longest(),
    }
}

/// Why a sequence of points is not shown.
fn no_sequence(is_linearizable: bool) -> String {
    if is_linearizable {
        format!("The order is not listed: it has more than {} operations.", grouped(MAX_REPLAYED as u64))
    } else {
        format!(
            "Of histories with more than {MAX_MOVED} operations, points are shown only where there is a linearization."
        )
    }
}

impl Known {
    fn new(history: &History, choice: usize, object: Object, monitor: Monitor) -> Self {
        let mut budget = Budget::unlimited();
        let judgement =
            judge(history, object, monitor, Limits::default().search, &mut budget).expect("nobody pauses it");
        let is_not = matches!(judgement.answer, Answer::Not(_));
        Self {
            choice,
            object,
            monitor,
            printed: Printed::of(history, object),
            layout: Layout::new(history),
            minimal: if is_not { Minimising::Due } else { Minimising::Needless },
            judgement,
            furthest: Default::default(),
        }
    }

    fn minimise(&mut self, history: &History) {
        if !matches!(self.minimal, Minimising::Due) {
            return;
        }
        let (object, monitor) = (self.object, self.monitor);
        let again = |history: &History, budget: &mut Budget| {
            Ok(judge(history, object, monitor, Limits::default().search, budget)?.answer)
        };
        let mut budget = Budget::unlimited().capped(MINIMISING);
        self.minimal = match minimise(history, &again, &mut budget) {
            Ok(Some(minimal)) => {
                let layout = Layout::new(&minimal.history);
                Minimising::Found(Box::new((minimal, layout)))
            }
            Ok(None) | Err(_) => Minimising::GivenUp,
        };
    }

    fn violation(&self) -> Option<&Violation> {
        match &self.judgement.answer {
            Answer::Not(violation) => Some(violation),
            Answer::Linearizable(_) | Answer::Unknown(_) => None,
        }
    }

    fn linearization(&self) -> Option<&Linearization> {
        match &self.judgement.answer {
            Answer::Linearizable(linearization) => Some(linearization),
            Answer::Not(_) | Answer::Unknown(_) => None,
        }
    }

    fn view(&self, history: &History, request: &HistoryRequest) -> HistoryView {
        let report = report(history, self.object, Some(&self.judgement));
        let words = Words { history, object: self.object };
        let found = match &self.minimal {
            Minimising::Found(found) => Some(&**found),
            Minimising::Needless | Minimising::Due | Minimising::GivenUp => None,
        };
        // Those few say it best.
        let wrong = match (found, self.violation()) {
            (Some((minimal, _)), _) => {
                let mut operations = minimal.operations.clone();
                operations.sort_unstable();
                operations
            }
            (None, Some(violation)) => about(history, violation),
            (None, None) => Vec::new(),
        };
        let part = if found.is_some() { request.part } else { Part::Whole };
        let (shown, layout, shown_wrong) = match (part, found) {
            (Part::Contradiction, Some((minimal, layout))) => (&minimal.history, layout, &[][..]),
            _ => (history, &self.layout, &wrong[..]),
        };
        let sight = sight(shown, self.object, layout, request.window, request, shown_wrong);
        let first = match (part, self.violation()) {
            (Part::Whole, Some(violation)) => values_of(history, violation),
            _ => Vec::new(),
        };
        let stepped = if request.monitor == Monitor::Search {
            Err("The search has no steps to be shown: it tries one order after the other.".to_owned())
        } else {
            Stepped::new(shown, self.object, request.steps_of, &first)
        };
        let (steps, marks, no_steps) = match stepped {
            Ok(stepped) => {
                let (steps, marks) = stepped.view(shown, request.step);
                (Some(steps), Some(marks), None)
            }
            Err(why) => (None, None, Some(why)),
        };
        let Shown { marks, bands } = marks.unwrap_or(Shown { marks: Vec::new(), bands: Vec::new() });
        let mark = |operation: OperationIndex| marks.get(operation.index()).copied().unwrap_or_default();
        let mut timeline = sight.draw(&mark, bands);
        let sequence = self.order(shown, part, &request.points, request.turn, &sight, &mut timeline);
        HistoryView {
            histories: Vec::new(),
            choice: self.choice as u32,
            object: Some(self.object),
            objects: objects(),
            size: format!("{}, decided by {}", report.size(), decided_by(self.judgement.by)),
            verdict: match self.judgement.answer {
                Answer::Linearizable(_) => HistoryVerdict::Linearizable,
                Answer::Not(_) => HistoryVerdict::Not,
                Answer::Unknown(_) => HistoryVerdict::Unknown,
            },
            sentence: report.sentence(),
            reasons: self.violation().map_or_else(Vec::new, |violation| reasons(&words, violation)),
            as_printed: self
                .printed
                .filter(|printed| printed.accepts() && self.violation().is_some())
                .map(Printed::sentence),
            has_more: matches!(self.minimal, Minimising::Due),
            part,
            timeline,
            no_contradiction: match &self.minimal {
                Minimising::GivenUp => Some(
                    "The search for the few operations that contradict each other was given up at its limit."
                        .to_owned(),
                ),
                Minimising::Found(found) if found.0.operations.len() > MAX_BESIDE => Some(format!(
                    "{} contradict each other: too many to be drawn beside the whole.",
                    count(found.0.operations.len() as u64, "operation")
                )),
                Minimising::Needless | Minimising::Due | Minimising::Found(_) => None,
            },
            contradiction: found.and_then(|(minimal, layout)| self.contradiction(&words, minimal, layout)),
            no_sequence: (sequence.is_none() && request.points != Points::Hidden)
                .then(|| no_sequence(self.linearization().is_some())),
            sequence,
            steps,
            no_steps,
            code: None,
        }
    }

    /// Puts points on a timeline, and says what comes of their order.
    fn order(
        &self,
        history: &History,
        part: Part,
        points: &Points,
        turn: u32,
        sight: &Sight<'_>,
        timeline: &mut Timeline,
    ) -> Option<super::view::Sequence> {
        let moves = history.operations.len() <= MAX_MOVED;
        // What can't be moved is only solved.
        let points = if moves || *points == Points::Hidden { points } else { &Points::Solved };
        let solved = if part == Part::Whole { self.linearization() } else { None };
        let furthest = || {
            let known = &self.furthest[usize::from(part == Part::Contradiction)];
            moves.then(|| known.get_or_init(|| furthest(history, self.object)).clone())
        };
        let order = Order::new(history, self.object, points, solved, furthest)?;
        timeline.points = order.dots(sight, &timeline.bars);
        timeline.points_move = moves;
        if moves {
            timeline.places = order.places();
        }
        order.sequence(history, self.object, sight.layout, turn)
    }

    fn contradiction(&self, words: &Words<'_>, minimal: &Minimal, layout: &Layout) -> Option<Contradiction> {
        let history = &minimal.history;
        if history.operations.len() > MAX_BESIDE {
            return None;
        }
        let end = history.times.len() as f64;
        let sight = Sight {
            history,
            object: self.object,
            layout,
            window: (-1.0, end),
            rows: (0, u32::MAX),
            width: u32::MAX,
            wrong: &[],
        };
        let mut timeline = sight.draw(&|_| Mark::Plain, Vec::new());
        // Stretched operations have no times of their own.
        timeline.ticks.clear();
        let facts = minimal.facts.iter().map(|fact| {
            let operations = [fact.earlier, fact.later].map(|operation| minimal.operations[operation.index()]);
            told(words.history, format!("{}.", words.fact(minimal, fact)), &operations)
        });
        Some(Contradiction {
            sentence:
                "These operations contradict each other; without any of their values nothing would. Each is drawn as \
                       long as it may be: any longer, and the contradiction would be gone."
                    .to_owned(),
            timeline,
            operations: numbers(&minimal.operations),
            facts: facts.collect(),
        })
    }
}
