//! A verifier at work: its steps, its results as they come, its tree.
//!
//! [`Watched`] runs the verifier in slices and keeps its steps. A view of any place among them is made by following them anew, so one can
//! go back while the verifier goes on.

use super::tree::{Known, Region, Sketch, Tree, key, node_of, stands, step_label};
use super::words;
use crate::formula::{Formula, Predicates, Symbolic, Variable};
use crate::game::{RunCounts, count_runs};
use crate::impact::{Choice, Counterexample, Limit, Options, Step, Verdict, Verifier, Wrong};
use crate::report::{Reporter, StepJson};
use crate::subject::Subject;
use litmoscope_core::budget::{Budget, Meter, Paused};
use litmoscope_core::graph::EventKey;
use litmoscope_core::inspection::Inspection;
use litmoscope_core::program::system::{States, System};
use litmoscope_core::syntax::Diagnostic;
use litmoscope_core::words::count;
use litmoscope_draw::{Drawing, EdgeKey};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How many nodes the tree may have.
pub const MAX_NODES: usize = 40_000;
/// How many steps are kept.
pub const MAX_STEPS: usize = 400_000;
/// How many concrete states are looked at.
pub const MAX_STATES: usize = 30_000;
/// How many steps the runs have at most that are counted.
pub const MAX_RUN: usize = 48;
/// Positions of the product of states and a result.
const MAX_POSITIONS: usize = 300_000;
/// How many steps stand in the list, before and behind the present one.
const AROUND: usize = 30;
/// Units of work of one question.
pub(super) const QUESTION: u64 = 1 << 22;
/// Units of work that a shorter label is worth.
const SHORTER: u64 = 1 << 18;
/// Units of work of a slice.
const SLICE: u64 = 1 << 18;

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VerifyRequest {
    /// The program.
    pub text: String,
    /// Threads take turns, as printed; else the one runs next that ran least recently.
    pub round_robin: bool,
    /// No partial-order reduction.
    pub whole: bool,
    /// After so many steps; `None` for as many as there are.
    pub step: Option<u32>,
    /// A node that is looked at besides the one of the step: a node of the drawing.
    pub node: Option<EventKey>,
    /// How many steps the runs have that are counted.
    pub run: u32,
}

/// A place on the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StopView {
    /// After so many steps of the verifier.
    pub step: u32,
    /// In which iteration, from 1.
    pub iteration: u32,
    /// When, in milliseconds since it began.
    pub milliseconds: f64,
    /// In a few words.
    pub title: String,
    /// In a sentence or two.
    pub text: String,
    /// An error or a deadlock.
    pub is_wrong: bool,
    /// The number of the result, from 0, if it is one with schedules.
    pub result: Option<usize>,
}

/// A step of the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepLine {
    /// Its number, from 1.
    pub number: u32,
    /// Its kind.
    pub kind: String,
    /// What it does.
    pub text: String,
}

/// Of all runs of some length: how many a result admits, how many go wrong, and how many are neither.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShareView {
    /// The stop.
    pub stop: usize,
    /// All runs.
    pub all: String,
    /// Those that the result admits.
    pub admitted: String,
    /// Those that go wrong.
    pub wrong: String,
    /// The others.
    pub undecided: String,
    /// The same as shares of 1: admitted, wrong, undecided.
    pub shares: [f64; 3],
}

/// A thread at a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThreadAt {
    /// Its name.
    pub thread: String,
    /// Where it is.
    pub at: String,
    /// What is known of it.
    pub known: String,
}

/// A sentence on edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToldWay {
    /// The sentence.
    pub text: String,
    /// The edges.
    pub edges: Vec<EdgeKey>,
}

/// A node that is looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeView {
    /// Its name.
    pub name: String,
    /// What it is.
    pub region: Region,
    /// What holds there.
    pub label: String,
    /// The threads.
    pub threads: Vec<ThreadAt>,
    /// By what it is covered, or why it is not.
    pub coverings: Vec<ToldWay>,
}

/// A node of a path whose labels become stronger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefinedNode {
    /// The node.
    pub name: String,
    /// The step that leads there; empty at the root.
    pub step: String,
    /// What has to hold there.
    pub predicate: String,
    /// The label before and behind, if it changes; what was not reached yet has none behind.
    pub change: Option<(String, String)>,
}

/// A refinement: the path, from its end backwards, and what it changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefinementView {
    /// What it is for.
    pub why: String,
    /// The path, its end first.
    pub path: Vec<RefinedNode>,
    /// The coverings that break.
    pub breaks: Vec<String>,
}

/// A step of a run that goes wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrongStep {
    /// The thread.
    pub thread: String,
    /// What it does.
    pub event: String,
    /// The line of that.
    pub line: u32,
    /// The values of shared variables behind it.
    pub values: String,
}

/// A run that goes wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrongView {
    /// In a sentence.
    pub text: String,
    /// The values at the start.
    pub start: String,
    /// The steps.
    pub steps: Vec<WrongStep>,
}

/// The verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerdictView {
    /// Its name.
    pub name: String,
    /// Whether all is right; unknown where a limit was reached.
    pub holds: Option<bool>,
    /// In a sentence.
    pub text: String,
}

/// What is shown of a verifier.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VerifyView {
    /// How far it is.
    pub status: String,
    /// Whether the verifier is at its end.
    pub over: bool,
    /// The verdict, at the end.
    pub verdict: Option<VerdictView>,
    /// How many steps are shown.
    pub step: u32,
    /// How many there are so far.
    pub all_steps: u32,
    /// What the last one does.
    pub caption: String,
    /// The steps around it.
    pub steps: Vec<StepLine>,
    /// The timeline.
    pub stops: Vec<StopView>,
    /// The stop that is shown: the last one up to the step.
    pub stop: Option<usize>,
    /// The counts of runs, for each stop that has them.
    pub shares: Vec<ShareView>,
    /// How long the runs are that are counted.
    pub run: u32,
    /// Why there are none, or how many concrete states there are.
    pub states: String,
    /// The tree.
    pub tree: Option<Drawing>,
    /// What is left out of the drawing.
    pub note: Option<String>,
    /// The node that is looked at.
    pub node: Option<NodeView>,
    /// The refinement that the step belongs to.
    pub refinement: Option<RefinementView>,
    /// The run that goes wrong, if the step or the node is about one.
    pub wrong: Option<WrongView>,
    /// How many results with schedules there are.
    pub results: usize,
}

/// A stop, and what was counted for it.
struct Stop {
    step: u32,
    milliseconds: f64,
    is: Kind,
    counts: Option<Vec<RunCounts>>,
    is_counted: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Wrong(usize),
    Result(usize),
}

/// The concrete states, as far as they are known.
enum Concrete {
    /// They are not looked at yet.
    Due,
    Going(Box<States>),
    Known(Box<States>),
    /// In words.
    Unknown(String),
}

/// A program whose verifier is watched.
pub struct Watched {
    request: VerifyRequest,
    system: Arc<System>,
    verifier: Verifier<Symbolic>,
    /// Its steps.
    log: Vec<Step<Formula>>,
    stops: Vec<Stop>,
    /// The iteration that each step belongs to is that of the last start: by stop, its number.
    iterations: Vec<u32>,
    begun: u32,
    wrong: usize,
    /// The tree after so many steps.
    tree: (usize, Tree),
    labels: FxHashMap<Formula, String>,
    concrete: Concrete,
    /// Nothing more is verified: why.
    ended: Option<String>,
}

impl Inspection for Watched {
    type Request = VerifyRequest;
    type View = VerifyView;

    /// Reads a program. Nothing is verified yet.
    fn open(request: &VerifyRequest) -> Result<Self, Vec<Diagnostic>> {
        Self::begin(request)
    }

    fn is_of(&self, request: &VerifyRequest) -> bool {
        let own = &self.request;
        (&own.text, own.round_robin, own.whole) == (&request.text, request.round_robin, request.whole)
    }

    fn view(&mut self, request: &VerifyRequest) -> VerifyView {
        let all = self.log.len();
        let at = request.step.map_or(all, |step| (step as usize).min(all));
        self.go_to(at);
        let system = Arc::clone(&self.system);
        let text = self.request.text.clone();
        let reporter = Reporter { system: &system, text: &text };
        let tree = self.tree.1.clone();
        let proven: FxHashSet<u32> = match tree.result {
            Some(result) => self.verifier.found()[result].nodes.iter().map(|node| node.0).collect(),
            None => FxHashSet::default(),
        };
        let regions = tree.regions(reporter, &proven);
        let chosen = request.node.map(node_of).filter(|node| (*node as usize) < tree.nodes.len());
        let looked_at = chosen.unwrap_or(tree.focus);
        let node = self.node(reporter, &tree, &regions, looked_at, at);
        let mut lit: FxHashSet<EdgeKey> = FxHashSet::default();
        if let Some(Step::Unfair { node, by, thread }) = at.checked_sub(1).map(|last| &self.log[last]) {
            lit.extend(tree.edges_of(&tree.way(reporter, by.0, node.0, *thread)));
        }
        let wrong = tree.nodes[looked_at as usize].wrong;
        if wrong.is_some() {
            let mut way = vec![looked_at];
            while let Some((above, _)) = way.last().and_then(|node| tree.nodes[*node as usize].above) {
                way.push(above);
            }
            way.reverse();
            lit.extend(tree.edges_of(&way));
        }
        let wrong = wrong.and_then(|wrong| self.verifier.counterexamples().get(wrong).cloned());
        let wrong = wrong.map(|wrong| self.wrong_view(reporter, &wrong));
        let (drawing, note) = {
            let skips: FxHashSet<(u32, u16)> = self.skipped(&tree);
            let sketch = Sketch {
                tree: &tree,
                reporter,
                regions: &regions,
                skips: &|node, thread| skips.contains(&(node, thread)),
                chosen,
                lit: &lit,
            };
            sketch.draw(&mut |formula| self.label(formula))
        };
        let last = at.checked_sub(1).map(|last| self.log[last].clone());
        let caption = match &last {
            Some(step) => self.caption(reporter, step),
            None => {
                "Before the first step there is one node: each thread is at its start, and nothing is known.".to_owned()
            }
        };
        let from = at.saturating_sub(AROUND);
        let to = (at + AROUND).min(all);
        let steps = (from..to).map(|number| {
            let step = self.log[number].clone();
            let text = self.caption(reporter, &step);
            StepLine { number: number as u32 + 1, kind: words::kind(&step).to_owned(), text }
        });
        let steps = steps.collect();
        let stops = self.stop_views(reporter);
        let run = (request.run as usize).clamp(1, MAX_RUN);
        let over = self.ended.is_some();
        VerifyView {
            status: self.status(),
            over,
            verdict: self.verdict(),
            step: at as u32,
            all_steps: all as u32,
            caption,
            steps,
            stop: self.stops.iter().rposition(|stop| stop.step as usize <= at),
            stops,
            shares: self.shares(run),
            run: run as u32,
            states: match &self.concrete {
                Concrete::Due | Concrete::Going(_) => String::new(),
                Concrete::Known(states) => {
                    let states = states.states.len();
                    format!("Concretely, the program has {}.", count(states as u64, "state"))
                }
                Concrete::Unknown(why) => why.clone(),
            },
            tree: Some(drawing),
            note,
            node,
            refinement: self.refinement(reporter, at),
            wrong,
            results: self.verifier.found().iter().filter(|found| found.art.is_some()).count(),
        }
    }

    fn text(request: &VerifyRequest) -> &str {
        &request.text
    }
}

impl Watched {
    fn begin(request: &VerifyRequest) -> Result<Self, Vec<Diagnostic>> {
        let system = Subject::read(&request.text)?.system;
        let choice = if request.round_robin { Choice::RoundRobin } else { Choice::LeastRecent };
        let options =
            Options { choice, reduction: !request.whole, nodes: MAX_NODES, question: QUESTION, ..Options::default() };
        let is_empty = system.initial_states().is_ok_and(|states| states.is_empty());
        let verifier = Verifier::symbolic(Arc::clone(&system), options);
        let tree = Tree::new(Reporter { system: &system, text: &request.text });
        Ok(Self {
            request: request.clone(),
            verifier,
            log: Vec::new(),
            stops: Vec::new(),
            iterations: Vec::new(),
            begun: 0,
            wrong: 0,
            tree: (0, tree),
            labels: FxHashMap::default(),
            concrete: Concrete::Due,
            ended: is_empty.then(|| "Nothing can begin: no values of the inputs are as `assuming` says.".to_owned()),
            system,
        })
    }

    /// Does a little more; `now` says how many milliseconds ago it began. Whether there is more to do.
    pub fn advance(&mut self, now: &dyn Fn() -> f64) -> bool {
        if self.ended.is_none() {
            self.verify(now);
            // What is counted is seen beside the first results.
            return self.stops.is_empty() || self.count() || self.ended.is_none();
        }
        self.count()
    }

    /// Ends the verification where it is.
    pub fn stop(&mut self) {
        if self.ended.is_none() {
            self.ended = Some("Stopped before all was looked at.".to_owned());
        }
    }

    fn verify(&mut self, now: &dyn Fn() -> f64) {
        let mut budget = Budget::of(SLICE);
        for _ in 0..256 {
            match self.verifier.advance(&mut budget) {
                Ok(Some(step)) => self.take(step, now),
                Ok(None) => {
                    self.ended = Some(String::new());
                    return;
                }
                Err(Paused) => return,
            }
            if self.log.len() >= MAX_STEPS {
                self.ended = Some(format!("Bounded: it made {MAX_STEPS} steps, and not all was looked at."));
                return;
            }
        }
    }

    fn take(&mut self, step: Step<Formula>, now: &dyn Fn() -> f64) {
        let is = match &step {
            Step::Start { .. } => {
                self.begun += 1;
                None
            }
            Step::Counterexample(_) => {
                self.wrong += 1;
                Some(Kind::Wrong(self.wrong - 1))
            }
            Step::Result(at) if self.verifier.found()[*at].art.is_some() => Some(Kind::Result(*at)),
            _ => None,
        };
        self.log.push(step);
        if let Some(is) = is {
            let step = self.log.len() as u32;
            self.stops.push(Stop { step, milliseconds: now(), is, counts: None, is_counted: false });
            self.iterations.push(self.begun);
        }
    }

    /// Counts states and runs. Whether there is more to count.
    fn count(&mut self) -> bool {
        let mut budget = Budget::of(SLICE * 16);
        match std::mem::replace(&mut self.concrete, Concrete::Due) {
            Concrete::Due => match States::start(&self.system) {
                Ok(states) => self.concrete = Concrete::Going(Box::new(states)),
                Err(why) => self.concrete = Concrete::Unknown(format!("Runs are not counted: {why}.")),
            },
            Concrete::Going(mut states) => {
                self.concrete = match states.go_on(&self.system, MAX_STATES, &mut budget) {
                    Ok(Ok(())) => Concrete::Known(states),
                    Ok(Err(why)) => Concrete::Unknown(format!("Runs are not counted: {why}.")),
                    Err(Paused) => Concrete::Going(states),
                };
            }
            Concrete::Unknown(why) => {
                self.concrete = Concrete::Unknown(why);
                return false;
            }
            Concrete::Known(states) => {
                let due = self.stops.iter_mut().find(|stop| !stop.is_counted && matches!(stop.is, Kind::Result(_)));
                let Some(stop) = due else {
                    self.concrete = Concrete::Known(states);
                    return false;
                };
                stop.is_counted = true;
                if let Kind::Result(at) = stop.is
                    && let Some(art) = &self.verifier.found()[at].art
                {
                    let ivr = art.ivr(&self.system);
                    // It is bounded by the number of positions.
                    let counts =
                        count_runs(&self.system, &states, &ivr, MAX_RUN, MAX_POSITIONS, &mut Budget::unlimited());
                    stop.counts = counts.ok();
                }
                self.concrete = Concrete::Known(states);
            }
        }
        true
    }

    fn label(&mut self, formula: Formula) -> String {
        if let Some(text) = self.labels.get(&formula) {
            return text.clone();
        }
        let names = Arc::clone(&self.system);
        let name = |variable: Variable| names.names.get(variable.0 as usize).cloned().unwrap_or_default();
        let symbolic = self.verifier.predicates();
        let mut budget = Budget::unlimited();
        let text = match symbolic.text(&formula, &name, &mut Meter::new(SHORTER, 0, &mut budget)) {
            Ok((text, _)) => text,
            Err(Paused) => symbolic.store.text(formula, &name),
        };
        self.labels.insert(formula, text.clone());
        text
    }

    /// The tree after so many steps.
    fn go_to(&mut self, step: usize) {
        let reporter = Reporter { system: &self.system, text: &self.request.text };
        if self.tree.0 > step {
            self.tree = (0, Tree::new(reporter));
        }
        let (at, tree) = &mut self.tree;
        for step in &self.log[*at..step] {
            tree.follow(reporter, step);
        }
        *at = step;
    }

    /// The pairs of a node and a thread that partial-order reduction leaves out.
    fn skipped(&self, tree: &Tree) -> FxHashSet<(u32, u16)> {
        let mut skipped = FxHashSet::default();
        for (node, place) in (0..).zip(&tree.nodes) {
            for (thread, known) in (0..).zip(&place.threads) {
                if *known == Known::Open && self.verifier.skips(node, thread) {
                    skipped.insert((node, thread));
                }
            }
        }
        skipped
    }

    fn caption(&mut self, reporter: Reporter<'_>, step: &Step<Formula>) -> String {
        if let Step::Result(at) = step {
            let label = self.root_label(*at);
            return reporter.result_text(&self.verifier.found()[*at], label).trim_end().to_owned();
        }
        words::caption(reporter, step, &mut |formula| self.label(formula))
    }

    /// What holds at the root of a result, each time the run comes back there.
    fn root_label(&mut self, result: usize) -> Option<String> {
        let label = self.verifier.found()[result].art.as_ref()?.nodes.first()?.label.clone();
        let own = self.system.variables.len() as u32;
        let store = &mut self.verifier.predicates().store;
        let term = store.translate(&label, &|at| Variable(own + at), &mut Default::default());
        let formula = store.nonzero(term);
        Some(self.label(formula))
    }

    fn status(&self) -> String {
        if let Some(verdict) = self.verifier.verdict() {
            return format!("{}, {}", verdict.name(), count(self.verifier.size() as u64, "node"));
        }
        let results = self.verifier.found().len() as u64;
        match &self.ended {
            Some(why) => why.clone(),
            None => format!(
                "verifying: {}, {}, {}",
                count(u64::from(self.verifier.iterations()), "iteration"),
                count(results, "result"),
                count(self.verifier.size() as u64, "node")
            ),
        }
    }

    fn verdict(&self) -> Option<VerdictView> {
        let verdict = self.verifier.verdict()?;
        let holds = match verdict {
            Verdict::Safe => Some(true),
            Verdict::PartiallySafe | Verdict::Unsafe => Some(false),
            Verdict::Bounded(Limit::Nodes | Limit::Iterations | Limit::Undecided) => None,
        };
        Some(VerdictView { name: verdict.name().to_owned(), holds, text: verdict.sentence().to_owned() })
    }

    fn stop_views(&mut self, reporter: Reporter<'_>) -> Vec<StopView> {
        let mut views = Vec::new();
        for at in 0..self.stops.len() {
            let Stop { step, milliseconds, is, .. } = self.stops[at];
            let (title, text, result) = match is {
                Kind::Wrong(wrong) => {
                    let found = &self.verifier.counterexamples()[wrong];
                    let title = match found.wrong {
                        Wrong::Error => "error",
                        Wrong::Deadlock => "deadlock",
                    };
                    let text = reporter.counterexample_text(found);
                    (title.to_owned(), text.lines().next().unwrap_or_default().to_owned(), None)
                }
                Kind::Result(result) => {
                    let label = self.root_label(result);
                    let found = &self.verifier.found()[result];
                    let order: Vec<String> = found.order.iter().map(|thread| reporter.thread(*thread)).collect();
                    let title = match &order[..] {
                        [] => "all together".to_owned(),
                        [first, second, third, _, ..] => format!("{first}, {second}, {third}, …"),
                        order => order.join(", "),
                    };
                    let number = self.verifier.found()[..result].iter().filter(|found| found.art.is_some()).count();
                    (title, reporter.result_text(found, label).trim_end().to_owned(), Some(number))
                }
            };
            let iteration = self.iterations[at];
            views.push(StopView {
                step,
                iteration,
                milliseconds,
                title,
                text,
                is_wrong: matches!(is, Kind::Wrong(_)),
                result,
            });
        }
        views
    }

    fn shares(&self, run: usize) -> Vec<ShareView> {
        let share = |(stop, counted): (usize, &Stop)| {
            let counts = counted.counts.as_ref()?.get(run)?;
            let wrong = counts.errors.saturating_add(counts.deadlocks);
            let of = |part: u128| if counts.all == 0 { 0.0 } else { part as f64 / counts.all as f64 };
            let number = |number: u128| match counts.saturated && number == u128::MAX {
                true => format!("more than {number}"),
                false => number.to_string(),
            };
            Some(ShareView {
                stop,
                all: number(counts.all),
                admitted: number(counts.admitted),
                wrong: number(wrong),
                undecided: number(counts.undecided()),
                shares: [of(counts.admitted), of(wrong), of(counts.undecided())],
            })
        };
        self.stops.iter().enumerate().filter_map(share).collect()
    }

    fn node(
        &mut self,
        reporter: Reporter<'_>,
        tree: &Tree,
        regions: &[Region],
        node: u32,
        at: usize,
    ) -> Option<NodeView> {
        let place = tree.nodes.get(node as usize)?;
        let thread = |(thread, known): (usize, &Known)| {
            let point = place.points[thread];
            let is_active = reporter.system.point(thread, point).is_active();
            let known = match known {
                _ if !is_active => String::new(),
                Known::Open if self.verifier.skips(node, thread as u16) => {
                    "left out: its step could as well come before the last one".to_owned()
                }
                Known::Open => "not looked at".to_owned(),
                Known::Expanded => "may go on".to_owned(),
                Known::Waits => "waits".to_owned(),
                Known::Abandoned(why) => format!("not scheduled: {}", words::abandoned(*why)),
            };
            ThreadAt { thread: reporter.thread(thread as u16), at: stands(reporter, thread, point), known }
        };
        let threads = place.threads.iter().enumerate().map(thread).collect();
        let mut coverings: Vec<ToldWay> = Vec::new();
        // What is said of the same two nodes again, is said once.
        let mut said: FxHashSet<(u32, bool)> = FxHashSet::default();
        for step in self.log[..at].iter().rev() {
            let (of, by, way) = match step {
                Step::Cover { node: of, by, .. } => (of.0, by.0, vec![key(of.0), key(by.0)]),
                Step::Uncover { node: of, by, .. } => (of.0, by.0, Vec::new()),
                Step::Unfair { node: of, by, .. } => (of.0, by.0, Vec::new()),
                _ => continue,
            };
            if of != node || !said.insert((by, matches!(step, Step::Unfair { .. }))) || coverings.len() >= 20 {
                continue;
            }
            let edges = match step {
                Step::Unfair { thread, .. } => tree.edges_of(&tree.way(reporter, by, of, *thread)),
                _ if way.is_empty() => Vec::new(),
                _ => tree.edges_of(&[of, by]),
            };
            let text = words::caption(reporter, step, &mut |_| String::new());
            coverings.push(ToldWay { text, edges });
        }
        let label = place.label;
        Some(NodeView {
            name: format!("n{node}"),
            region: regions[node as usize],
            threads,
            coverings,
            label: if place.is_empty { "false".to_owned() } else { self.label(label) },
        })
    }

    /// The refinement that the step at a place belongs to: the last one, if nothing else happened since.
    fn refinement(&mut self, reporter: Reporter<'_>, at: usize) -> Option<RefinementView> {
        let belongs = |step: &Step<Formula>| matches!(step, Step::Strengthen { .. } | Step::Uncover { .. });
        let mut from = at.checked_sub(1)?;
        while belongs(&self.log[from]) {
            from = from.checked_sub(1)?;
        }
        let Step::Interpolate { purpose, path, predicates } = self.log[from].clone() else { return None };
        let mut to = from + 1;
        while self.log.get(to).is_some_and(belongs) {
            to += 1;
        }
        let mut changes: FxHashMap<u32, (Formula, Formula, bool)> = FxHashMap::default();
        let mut breaks = Vec::new();
        for step in self.log[from + 1..to].iter().cloned() {
            match step {
                Step::Strengthen { node, before, after, is_empty } => {
                    changes.insert(node.0, (before, after, is_empty));
                }
                step => breaks.push(words::caption(reporter, &step, &mut |_| String::new())),
            }
        }
        let mut rows = Vec::new();
        for (node, predicate) in path.iter().zip(predicates).rev() {
            let step = self.tree.1.nodes.get(node.0 as usize).and_then(|place| place.above);
            let change = changes.get(&node.0).copied().map(|(before, after, is_empty)| {
                let after = if is_empty { "false".to_owned() } else { self.label(after) };
                (self.label(before), after)
            });
            rows.push(RefinedNode {
                name: format!("n{}", node.0),
                step: step.map(|(_, step)| step_label(reporter, step)).unwrap_or_default(),
                predicate: self.label(predicate),
                change,
            });
        }
        let end = path.last().map_or(0, |node| node.0);
        Some(RefinementView { why: words::purpose(purpose, end), path: rows, breaks })
    }

    fn wrong_view(&self, reporter: Reporter<'_>, found: &Counterexample) -> WrongView {
        let values = |values: &[i64]| {
            let shared = self.system.shared();
            let all = self.system.names.iter().zip(values).take(shared);
            all.map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
        };
        let mut state = self.system.state(&found.initial);
        let mut steps = Vec::new();
        for (step, inputs) in &found.steps {
            let thread = usize::from(self.system.transition(*step).thread);
            let next = state.as_ref().and_then(|state| self.system.successors(state, thread).ok());
            let next =
                next.into_iter().flatten().find(|next| next.transition == *step && next.inputs[..] == inputs[..]);
            state = next.map(|next| next.state);
            let StepJson { thread, event, line, .. } = reporter.step(*step, inputs);
            let values = state.as_ref().map(|state| values(&state.values)).unwrap_or_default();
            steps.push(WrongStep { thread, event, line, values });
        }
        let text = reporter.counterexample_text(found);
        WrongView { text: text.lines().next().unwrap_or_default().to_owned(), start: values(&found.initial), steps }
    }
}
