//! What a page draws: events, interleavings, constraints, as JSON.

use super::{Edge, Event, Finite, Kept, Outcome, Relaxed, Run, TraceGraph};
use litmoscope_core::program::system::{EventKind, PointKind, State, System, Term, Variable};
use litmoscope_core::program::{BinaryOperator, Program, UnaryOperator, Value};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// An event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventView {
    /// Its thread, an index into [`View::threads`].
    pub thread: u16,
    /// How many events of its thread come before it.
    pub index: u32,
    /// What it does: `read`, `write`, `lock`. Several words if it differs from run to run.
    pub kind: String,
    /// What it accesses in some run, by name, in the order of the declarations.
    pub locations: Vec<String>,
    /// The line of the text, from 1; 0 where there is none.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The place in the text, in bytes: from here.
    pub start: u32,
    /// To in front of here.
    pub end: u32,
}

/// A state at the start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StartView {
    /// The names of the inputs, and their values as texts.
    pub inputs: Vec<(String, String)>,
}

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum OutcomeView {
    /// All threads have ended.
    Ended,
    /// A thread went wrong.
    Error {
        /// At which event of the interleaving.
        at: usize,
    },
    /// Some thread waits for good.
    Deadlock,
    /// Constraints permit nothing.
    Stuck,
}

impl From<Outcome> for OutcomeView {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Ended => Self::Ended,
            Outcome::Error { at } => Self::Error { at },
            Outcome::Deadlock => Self::Deadlock,
            Outcome::Stuck => Self::Stuck,
        }
    }
}

/// An interleaving.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InterleavingView {
    /// From which start, an index into [`View::starts`].
    pub start: usize,
    /// Its events in their order, indices into [`View::events`].
    pub events: Vec<usize>,
    /// How it ends.
    pub outcome: OutcomeView,
    /// Its Mazurkiewicz trace, numbered from 0 as they come.
    pub trace: usize,
    /// The first of its events that the constraints forbid, an index into `events`; `null` if it is permitted.
    pub forbidden: Option<usize>,
}

/// A constraint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConstraintView {
    /// What comes first.
    pub from: Event,
    /// What waits for it.
    pub to: Event,
    /// In which states; `null` if in all.
    pub when: Option<String>,
}

/// A step of a relaxation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RelaxedView {
    /// The constraints that were dropped, each as what comes first and what waits.
    pub dropped: Vec<(Event, Event)>,
    /// How many are left.
    pub constraints: usize,
    /// How many threads wait by these.
    pub waiting: usize,
    /// How many traces are verified.
    pub traces: u64,
}

/// The interleavings of a program, and which of them constraints permit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct View {
    /// The names of the threads.
    pub threads: Vec<String>,
    /// The states at the start.
    pub starts: Vec<StartView>,
    /// The events of all interleavings that are listed, by thread and then by index.
    pub events: Vec<EventView>,
    /// The interleavings, as they were listed.
    pub interleavings: Vec<InterleavingView>,
    /// Whether these are all.
    pub complete: bool,
    /// How many traces these are of.
    pub traces: usize,
    /// The constraints.
    pub constraints: Vec<ConstraintView>,
}

impl View {
    /// Of runs that were listed, as by [`Interleavings`](super::Interleavings). Constraints whose events no run has are left out. Linear in
    /// the runs, quadratic in the length of each.
    pub fn new(
        program: &Program,
        finite: &Finite<'_>,
        runs: &[(Run, Outcome)],
        complete: bool,
        graph: Option<&TraceGraph>,
    ) -> Self {
        let system = finite.system();
        let mut about: BTreeMap<Event, About> = BTreeMap::new();
        for (run, _) in runs {
            for (at, step) in run.steps.iter().enumerate() {
                let own = about.entry(step.event).or_default();
                own.add(system, run.state(finite, at), step.event);
                own.locations.extend(step.footprint.reads.iter().chain(&step.footprint.writes));
            }
        }
        let places: FxHashMap<Event, usize> = about.keys().enumerate().map(|(place, event)| (*event, place)).collect();
        let mut traces = FxHashMap::default();
        let interleavings = runs.iter().map(|(run, outcome)| {
            let known = traces.len();
            InterleavingView {
                start: run.start,
                events: run.events().map(|event| places[&event]).collect(),
                outcome: (*outcome).into(),
                trace: *traces.entry(run.canonical()).or_insert(known),
                forbidden: graph.and_then(|graph| graph.forbids(finite, run)).map(|(at, _)| at),
            }
        });
        let interleavings: Vec<InterleavingView> = interleavings.collect();
        let starts = finite.starts().iter().map(|state| StartView { inputs: inputs(program, system, state) });
        Self {
            threads: system.threads.iter().map(|thread| thread.name.clone()).collect(),
            starts: starts.collect(),
            events: about.into_iter().map(|(event, about)| about.view(system, event)).collect(),
            interleavings,
            complete,
            traces: traces.len(),
            constraints: graph.map(|graph| constraints(program, system, graph.edges())).unwrap_or_default(),
        }
    }
}

/// Constraints, with their predicates in words.
pub fn constraints(program: &Program, system: &System, edges: &[Edge]) -> Vec<ConstraintView> {
    let view = |edge: &Edge| ConstraintView {
        from: edge.from,
        to: edge.to,
        when: edge.when.known().is_none_or(|known| known == 0).then(|| term_text(program, system, &edge.when)),
    };
    edges.iter().map(view).collect()
}

/// The steps of a relaxation.
pub fn relaxed(steps: &[Relaxed]) -> Vec<RelaxedView> {
    let view = |step: &Relaxed| RelaxedView {
        dropped: step.dropped.iter().map(|edge| (edge.from, edge.to)).collect(),
        constraints: step.constraints,
        waiting: step.waiting,
        traces: step.traces,
    };
    steps.iter().map(view).collect()
}

impl Kept {
    /// The constraint and the run that forbids to drop it: the start, its events in their order, how it ends.
    pub fn view(&self) -> (Option<(Event, Event)>, usize, Vec<Event>, OutcomeView) {
        let constraint = self.constraint.as_ref().map(|edge| (edge.from, edge.to));
        (constraint, self.run.start, self.run.events().collect(), self.outcome.into())
    }
}

#[derive(Default)]
struct About {
    kinds: BTreeSet<&'static str>,
    locations: BTreeSet<Variable>,
    span: litmoscope_core::program::Span,
}

impl About {
    fn add(&mut self, system: &System, before: &State, event: Event) {
        let thread = usize::from(event.thread);
        let point = system.point(thread, before.points[thread]);
        if let PointKind::Event(kind) = &point.kind {
            if self.kinds.is_empty() {
                self.span = point.span;
            }
            self.kinds.insert(word(kind));
        }
    }

    fn view(self, system: &System, event: Event) -> EventView {
        EventView {
            thread: event.thread,
            index: event.index,
            kind: self.kinds.into_iter().collect::<Vec<_>>().join(" or "),
            locations: self.locations.into_iter().map(|variable| system.names[variable.0 as usize].clone()).collect(),
            line: self.span.line,
            column: self.span.column,
            start: self.span.start,
            end: self.span.end,
        }
    }
}

fn word(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::Read => "read",
        EventKind::Write => "write",
        EventKind::Update(_) => "update",
        EventKind::CompareAndSwap => "compare-and-swap",
        EventKind::Fence(_) => "fence",
        EventKind::Lock => "lock",
        EventKind::Unlock => "unlock",
        EventKind::Send => "send",
        EventKind::Receive => "receive",
        EventKind::End => "end",
        EventKind::Join => "join",
        EventKind::Input => "input",
        EventKind::Atomic => "atomic block",
        EventKind::Local => "local round",
        EventKind::Stuck => "wait for good",
    }
}

fn inputs(program: &Program, system: &System, state: &State) -> Vec<(String, String)> {
    let text = |variable: Variable| {
        let at = variable.0 as usize;
        (system.names[at].clone(), program.value_text(state.values[at]))
    };
    system.inputs.iter().map(|(variable, _)| text(*variable)).collect()
}

/// How deep terms are written out.
const MAX_DEPTH: u32 = 16;

/// A term as a text, with the names of variables and of what addresses point to. What is nested deeply is left out, as `...`.
pub fn term_text(program: &Program, system: &System, term: &Term) -> String {
    let mut text = String::new();
    Writer { program, system, text: &mut text }.write(term, 0, MAX_DEPTH);
    text
}

struct Writer<'a> {
    program: &'a Program,
    system: &'a System,
    text: &'a mut String,
}

impl Writer<'_> {
    /// Writes a term, in brackets if it binds less than what is around it.
    fn write(&mut self, term: &Term, around: u8, depth: u32) {
        let Some(deeper) = depth.checked_sub(1) else {
            *self.text += "...";
            return;
        };
        match term {
            Term::Constant(value) => self.value(*value),
            Term::Variable(variable) => *self.text += &self.system.names[variable.0 as usize],
            Term::Input(at) => *self.text += &format!("input {at}"),
            Term::Unary(operator, operand) => {
                *self.text += match operator {
                    UnaryOperator::Negate => "-",
                    UnaryOperator::Complement => "~",
                    UnaryOperator::Not => "not ",
                    UnaryOperator::Convert(_) => "converted ",
                };
                self.write(operand, 9, deeper);
            }
            Term::Binary(operator, left, right) => {
                let (sign, binds) = sign(*operator);
                if binds <= around {
                    *self.text += "(";
                }
                self.write(left, binds - 1, deeper);
                *self.text += &format!(" {sign} ");
                self.write(right, binds, deeper);
                if binds <= around {
                    *self.text += ")";
                }
            }
            Term::Defined(operator, left, right) => {
                *self.text += "defined(";
                self.write(left, 8, deeper);
                *self.text += &format!(" {} ", sign(*operator).0);
                self.write(right, 8, deeper);
                *self.text += ")";
            }
            Term::If(condition, then, otherwise) => {
                *self.text += "(if ";
                self.write(condition, 0, deeper);
                *self.text += " then ";
                self.write(then, 0, deeper);
                *self.text += " else ";
                self.write(otherwise, 0, deeper);
                *self.text += ")";
            }
        }
    }

    fn value(&mut self, value: Value) {
        *self.text += &self.program.value_text(value);
    }
}

/// The sign of an operator, and how tightly it binds, from 1.
fn sign(operator: BinaryOperator) -> (&'static str, u8) {
    use BinaryOperator as B;
    match operator.untyped() {
        B::Or => ("or", 1),
        B::And => ("and", 2),
        B::Equal => ("=", 3),
        B::NotEqual => ("!=", 3),
        B::Less => ("<", 3),
        B::LessOrEqual => ("<=", 3),
        B::Greater => (">", 3),
        B::GreaterOrEqual => (">=", 3),
        B::BitOr => ("|", 4),
        B::BitXor => ("^", 5),
        B::BitAnd => ("&", 6),
        B::ShiftLeft => ("<<", 7),
        B::ShiftRight => (">>", 7),
        B::Add => ("+", 8),
        B::Subtract => ("-", 8),
        B::Multiply => ("*", 9),
        B::Divide => ("/", 9),
        B::Remainder => ("%", 9),
        B::Typed(..) => ("?", 9),
    }
}
