//! Algorithms on the same graph: one, or two side by side.

use super::play::{self, PlayRequest, PlayView};
use super::run::{Look, Now, Recording, Tint, sort};
use super::subject::{Picture, Subject};
use super::{FairnessRequest, Pace, Setup};
use crate::algorithms::Pairs;
use crate::bits::Bits;
use crate::invariants::Held;
use crate::universe::{Counts, Universe};
use litmoscope_core::words::grouped;
use serde::{Deserialize, Serialize};

/// How many steps are listed on each side of the one that is shown.
const AROUND: usize = 60;

/// Something that is counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counter {
    /// What it is called.
    pub name: String,
    /// At the step.
    pub now: u64,
    /// At the end.
    pub all: u64,
    /// How long its bar is, of 1.
    pub length: f64,
    /// How long it is at the end.
    pub end: f64,
    /// Where the published bound lies, without its constant.
    pub bound: Option<f64>,
    /// That in words.
    pub bound_words: String,
}

/// A step of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepLine {
    /// Its number, from 1.
    pub number: u32,
    /// What sort of step it is.
    pub sort: String,
    /// In a sentence.
    pub text: String,
}

/// Something that has to hold behind each step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvariantLine {
    /// Its number in the thesis.
    pub number: String,
    /// What it says.
    pub text: String,
    /// Whether it holds.
    pub holds: bool,
}

/// An algorithm at a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SideView {
    /// Which, in a few words.
    pub title: String,
    /// How many steps are shown.
    pub step: u32,
    /// How many there are.
    pub all: u32,
    /// What the step does.
    pub caption: String,
    /// By box of the drawing.
    pub looks: Vec<Look>,
    /// By box: how many of its vertices are no longer in question, where it has several.
    pub shares: Vec<String>,
    /// What was counted.
    pub counters: Vec<Counter>,
    /// The steps around it.
    pub steps: Vec<StepLine>,
    /// The lines of its pseudo-code.
    pub code: Vec<String>,
    /// Which of them it is at.
    pub line: u32,
    /// The components that are set aside.
    pub aside: Vec<String>,
    /// What is to be said beside it.
    pub note: Option<String>,
    /// What has to hold behind this step, if that was asked and the graph is small enough.
    pub invariants: Option<Vec<InvariantLine>>,
}

/// The algorithms.
pub(super) struct Sides {
    all: Vec<(Setup, Recording)>,
    pairs: Pairs<Bits>,
    /// The counts at which one of them has a step.
    counts: Vec<u64>,
}

impl Sides {
    pub(super) fn of(subject: &Subject, pairs: &Pairs<Bits>, setups: impl Iterator<Item = Setup>) -> Self {
        let all: Vec<_> = setups.map(|setup| (setup, Recording::of(&subject.graph, pairs, &setup))).collect();
        let frames = all.iter().flat_map(|(_, recording)| &recording.frames);
        let mut counts: Vec<u64> = frames.map(|frame| frame.counts.images).collect();
        counts.sort_unstable();
        counts.dedup();
        Self { all, pairs: pairs.clone(), counts }
    }

    fn second_len(&self) -> usize {
        self.all.get(1).map_or(0, |(_, recording)| recording.len())
    }

    /// Whether keys go through common counts.
    fn by_count(&self, request: &FairnessRequest) -> bool {
        request.pace == Pace::Count && self.all.len() > 1
    }

    /// By side: how many steps are shown.
    pub(super) fn shown(&self, request: &FairnessRequest) -> Vec<usize> {
        let step = request.step as usize;
        if self.by_count(request) {
            let count = step.checked_sub(1).map(|at| self.counts.get(at).or(self.counts.last()).copied().unwrap_or(0));
            let until = |recording: &Recording| {
                count.map_or(0, |count| recording.frames.partition_point(|frame| frame.counts.images <= count))
            };
            return self.all.iter().map(|(_, recording)| until(recording)).collect();
        }
        let each = matches!(request.pace, Pace::First | Pace::Second);
        let steps = [step, if each { request.other as usize } else { step }];
        self.all.iter().zip(steps).map(|((_, recording), step)| step.min(recording.len())).collect()
    }

    /// The step that keys go through, how many there are, and what it is a number of.
    pub(super) fn place(&self, request: &FairnessRequest) -> (u32, u32, String) {
        let first = self.all.first().map_or(0, |(_, recording)| recording.len());
        let both = first.max(self.second_len());
        let (step, all) = match request.pace {
            Pace::Count if self.by_count(request) => (request.step as usize, self.counts.len()),
            Pace::Second if self.all.len() > 1 => (request.other as usize, self.second_len()),
            Pace::First => (request.step as usize, first),
            _ => (request.step as usize, both),
        };
        let step = step.min(all);
        let place = if self.by_count(request) {
            let count = step.checked_sub(1).and_then(|at| self.counts.get(at)).copied().unwrap_or(0);
            let most = self.counts.last().copied().unwrap_or(0);
            format!("{} of {} symbolic steps", grouped(count), grouped(most))
        } else {
            String::new()
        };
        (step as u32, all as u32, place)
    }

    /// What comes out, in a sentence.
    pub(super) fn answer(&self, subject: &Subject) -> (String, Option<bool>) {
        let Some(answer) = self.all.iter().find_map(|(_, recording)| recording.answer.as_ref()) else {
            return ("It is not known: no algorithm came to its end.".to_owned(), None);
        };
        let graph = &*subject.graph;
        let starts = subject.starts();
        let kind =
            if subject.by_chance() { "a strategy that wins with probability 1" } else { "a run that meets all pairs" };
        let wins = graph.count(&answer.winning);
        let sentence = if wins == 0 {
            format!("From no vertex is there {kind}.")
        } else if starts.is_empty() {
            let all = if wins == graph.size().0 {
                "every vertex".to_owned()
            } else {
                subject.with_names(|names| names.set(&answer.winning))
            };
            format!("From {all} there is {kind}.")
        } else {
            let from = starts.iter().filter(|at| answer.winning.contains(**at)).count();
            let is = if from == starts.len() {
                "there is"
            } else if from == 0 {
                "there is not"
            } else {
                "in part, there is"
            };
            format!("From the start {is} {kind}.")
        };
        let is_so = if starts.is_empty() { wins > 0 } else { starts.iter().any(|at| answer.winning.contains(*at)) };
        (sentence, Some(is_so))
    }

    /// What the step of the first algorithm is about.
    pub(super) fn about(&self, subject: &Subject, shown: &[usize]) -> Bits {
        let first = self.all.first().zip(shown.first());
        first.map_or_else(|| subject.graph.all(), |((_, recording), step)| recording.now(&subject.graph, *step).about)
    }

    /// A play by a strategy of the answer.
    pub(super) fn play(&self, subject: &Subject, request: &PlayRequest) -> Option<PlayView> {
        let answer = self.all.iter().find_map(|(_, recording)| recording.answer.as_ref())?;
        subject.by_chance().then(|| play::play(subject, &self.pairs, answer, request))
    }

    pub(super) fn views(
        &self,
        subject: &Subject,
        picture: &Picture,
        shown: &[usize],
        with_invariants: bool,
    ) -> Vec<SideView> {
        let all = self.all.iter().zip(shown);
        let counts: Vec<(Counts, Counts)> =
            all.clone().map(|((_, own), step)| (own.counts_at(*step), own.counts)).collect();
        all.enumerate()
            .map(|(at, ((setup, recording), step))| {
                let view = side(subject, picture, setup, recording, *step, (&counts, at));
                let asked = with_invariants.then(|| recording.held(&subject.graph, &self.pairs, setup, *step));
                SideView { invariants: asked.flatten().map(|held| held.iter().map(line_of).collect()), ..view }
            })
            .collect()
    }
}

fn line_of(held: &Held) -> InvariantLine {
    InvariantLine { number: held.number.to_owned(), text: held.sentence().to_owned(), holds: held.holds }
}

/// A published bound on the symbolic steps, without its constant, in words and as a number.
pub(super) fn bound(subject: &Subject, setup: &Setup, pairs: usize) -> (f64, &'static str) {
    let (n, m) = subject.graph.size();
    let (n, m, k) = (n as f64, m as f64, pairs as f64);
    let logarithm = n.log2().max(1.0);
    match (setup.basic, subject.by_chance()) {
        (true, false) => (n * n.min(k), "n · min(n, k)"),
        (true, true) => (n * n * n.min(k), "n² · min(n, k)"),
        (false, _) => (n * (m * logarithm).sqrt(), "n · √(m log n)"),
    }
}

/// One of the counts.
type Count = fn(&Counts) -> u64;

fn counters(subject: &Subject, setup: &Setup, (all, at): (&[(Counts, Counts)], usize)) -> Vec<Counter> {
    let (most, words) = bound(subject, setup, subject.pair_words().len());
    let of: [(&str, Count); 4] = [
        ("symbolic steps", |counts| counts.images),
        ("set operations", |counts| counts.operations),
        ("decompositions", |counts| counts.decompositions),
        ("lock-step searches", |counts| counts.lock_steps),
    ];
    of.into_iter()
        .enumerate()
        .map(|(number, (name, count))| {
            let own = (number == 0).then_some(most);
            // Bars of both algorithms have one scale. A bound far beyond it would leave nothing of them.
            let largest = all.iter().map(|(_, end)| count(end)).max().unwrap_or(0).max(1) as f64;
            let scale = own.filter(|bound| *bound <= 4.0 * largest).map_or(largest, |bound| bound.max(largest));
            let (now, end) = (count(&all[at].0), count(&all[at].1));
            let is_seen = own.is_some_and(|bound| bound <= scale);
            Counter {
                name: name.to_owned(),
                now,
                all: end,
                length: now as f64 / scale,
                end: end as f64 / scale,
                bound: own.filter(|_| is_seen).map(|bound| bound / scale),
                bound_words: own
                    .map(|bound| {
                        format!("published bound {words} = {}, times a constant", grouped(bound.round() as u64))
                    })
                    .unwrap_or_default(),
            }
        })
        .collect()
}

fn side(
    subject: &Subject,
    picture: &Picture,
    setup: &Setup,
    recording: &Recording,
    step: usize,
    counts: (&[(Counts, Counts)], usize),
) -> SideView {
    let graph = &*subject.graph;
    let now = recording.now(graph, step);
    let by_chance = subject.by_chance();
    let (looks, shares) = picture.boxes.iter().map(|own| look(&now, own)).unzip();
    subject.with_names(|names| {
        let said = |at: usize| names.sentence(graph, &recording.frames[at], by_chance);
        let caption = match step {
            0 => start_words(setup, by_chance),
            step => said(step - 1),
        };
        let from = step.saturating_sub(AROUND);
        let to = (step + AROUND).min(recording.len());
        let line = |at: usize| StepLine {
            number: at as u32 + 1,
            sort: sort(&recording.frames[at].step).to_owned(),
            text: said(at),
        };
        SideView {
            title: setup.words(),
            step: step as u32,
            all: recording.len() as u32,
            caption,
            looks,
            shares,
            counters: counters(subject, setup, counts),
            steps: (from..to).map(line).collect(),
            code: recording.code().iter().map(|line| (*line).to_owned()).collect(),
            line: now.line as u32,
            aside: now.good.iter().map(|set| names.set(set)).collect(),
            note: recording.cut.clone(),
            invariants: None,
        }
    })
}

/// What is to come.
fn start_words(setup: &Setup, by_chance: bool) -> String {
    let parts = if by_chance { "end components" } else { "strongly connected components" };
    let then = if setup.basic {
        "decomposes what is left anew"
    } else {
        "searches only from the vertices that lost edges, in lock-step"
    };
    format!("The algorithm decomposes the graph into {parts}, removes bad vertices, and {then}.")
}

/// What some vertices are together, and how many of them are what they are.
fn look(now: &Now, vertices: &[usize]) -> (Look, String) {
    if let [one] = vertices {
        return (now.look(*one), String::new());
    }
    let looks: Vec<Look> = vertices.iter().map(|at| now.look(*at)).collect();
    let has = |of: fn(&Look) -> bool| looks.iter().any(of);
    let count = |tint: Tint| looks.iter().filter(|look| look.tint == tint).count();
    let order = [Tint::Candidate, Tint::Good, Tint::Winning, Tint::Removed, Tint::Waiting];
    let tint = order.into_iter().max_by_key(|tint| count(*tint)).unwrap_or_default();
    let share = match count(tint) {
        all if all == looks.len() => String::new(),
        some => format!("{some}/{}", looks.len()),
    };
    let first = &looks[0];
    let look = Look {
        tint,
        part: first.part.filter(|part| looks.iter().all(|look| look.part == Some(*part))),
        bad: has(|look| look.bad),
        leaking: has(|look| look.leaking),
        head: has(|look| look.head),
        tail: has(|look| look.tail),
        layer: looks.iter().filter_map(|look| look.layer).min(),
        rings: Vec::new(),
    };
    (look, share)
}
