//! Symbolic traces in words: who waits for whom, and what became of each constraint.

use super::{
    ConstraintView, Edge, Event, Finite, Kept, Outcome, OutcomeView, Relaxed, RelaxedView, Run, Strategy,
    SymbolicError, SymbolicTrace, constraints, relaxed, term_text,
};
use litmoscope_core::program::{Program, Span};
use litmoscope_core::words::count;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::fmt::Write;

/// Says what was found of the traces of a program.
pub struct TraceReporter<'a> {
    program: &'a Program,
    finite: &'a Finite<'a>,
    /// Its text.
    text: &'a str,
    /// Where events of the trace are.
    places: FxHashMap<Event, Span>,
}

/// What is left when the relaxation of a trace ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceVerdict {
    /// No constraint: no run goes wrong.
    Safe,
    /// Constraints without which some run goes wrong.
    PartiallySafe,
    /// No trace is right for all inputs.
    Unsafe,
    /// It was stopped before.
    Bounded,
}

impl TraceVerdict {
    /// Its name: `safe`, `partially safe`, `unsafe`, `bounded`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::PartiallySafe => "partially safe",
            Self::Unsafe => "unsafe",
            Self::Bounded => "bounded",
        }
    }

    /// What it says, as a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Safe => "Safe: no constraint is left, and no run goes wrong, whatever the inputs are.",
            Self::PartiallySafe => "Partially safe: no run goes wrong that keeps to the constraints that are left.",
            Self::Unsafe => "Unsafe: each trace that was looked at goes wrong, for some inputs.",
            Self::Bounded => "Bounded: it was stopped before each constraint was looked at.",
        }
    }
}

/// A constraint that has to stay, as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct KeptJson {
    /// What comes first and what waits; `null` if it is about events that nothing but those behind the prefix waits for.
    pub constraint: Option<(Event, Event)>,
    /// What would be possible without it: the events of a run.
    pub events: Vec<Event>,
    /// The values of the inputs in that run, by name.
    pub inputs: Vec<(String, String)>,
    /// How that ends.
    pub outcome: OutcomeView,
}

/// A relaxation as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct TraceJson {
    /// `safe`, `partially safe`, `unsafe` or `bounded`.
    pub verdict: &'static str,
    /// Which constraint was dropped first.
    pub strategy: Strategy,
    /// The names of the threads.
    pub threads: Vec<String>,
    /// The constraints of the trace.
    pub constraints: Vec<ConstraintView>,
    /// What was dropped, one step after the other.
    pub steps: Vec<RelaxedView>,
    /// What has to stay.
    pub kept: Vec<KeptJson>,
    /// How many traces are verified.
    pub traces: u64,
}

impl<'a> TraceReporter<'a> {
    /// Of a program and one of its traces, which says what events are called.
    ///
    /// # Errors
    /// As [`Finite::steps`].
    pub fn new(
        program: &'a Program,
        finite: &'a Finite<'a>,
        text: &'a str,
        trace: Option<&SymbolicTrace>,
    ) -> Result<Self, SymbolicError> {
        let mut places = FxHashMap::default();
        for start in 0..finite.starts().len() {
            let mut state = finite.starts()[start].clone();
            for event in trace.into_iter().flat_map(|trace| &trace.order) {
                let thread = usize::from(event.thread);
                let point = finite.system().point(thread, state.points[thread]);
                let Some(next) = finite.steps(&state, thread)?.into_iter().next() else { continue };
                places.entry(*event).or_insert(point.span);
                state = next.state;
            }
        }
        Ok(Self { program, finite, text, places })
    }

    fn thread(&self, thread: u16) -> &str {
        self.finite.system().threads.get(usize::from(thread)).map_or("", |thread| &thread.name)
    }

    fn event(&self, event: Event) -> String {
        let text = match self.places.get(&event) {
            Some(span) => format!("`{}` (line {})", span.on_one_line(self.text), span.line),
            None => format!("event {}", event.index + 1),
        };
        format!("{} {text}", self.thread(event.thread))
    }

    fn constraint(&self, edge: &Edge) -> String {
        let when = match edge.when.known() {
            Some(known) if known != 0 => String::new(),
            _ => format!(", if {}", term_text(self.program, self.finite.system(), &edge.when)),
        };
        // The same line may be several events of a loop.
        let number = |event: Event| match self.places.get(&event) {
            Some(span) if self.places.values().filter(|other| *other == span).count() > 1 => {
                format!(", its event {}", event.index + 1)
            }
            _ => String::new(),
        };
        format!(
            "{}{} comes before {}{}{when}",
            self.event(edge.from),
            number(edge.from),
            self.event(edge.to),
            number(edge.to)
        )
    }

    /// The constraints of a trace, a line each.
    pub fn trace_text(&self, trace: &SymbolicTrace) -> String {
        let edges = trace.graph.edges();
        let waiting = trace.graph.waiting().len() as u64;
        let mut text = match edges {
            [] => "A trace has no constraints: nobody waits.\n".to_owned(),
            edges => {
                let verb = if waiting == 1 { "waits" } else { "wait" };
                format!(
                    "A trace has {}, by which {} {verb}:\n",
                    count(edges.len() as u64, "constraint"),
                    count(waiting, "thread")
                )
            }
        };
        for edge in edges {
            let _ = writeln!(text, "    {}", self.constraint(edge));
        }
        text
    }

    /// What became of a step, as a sentence or two.
    pub fn relaxed_text(&self, step: &Relaxed) -> String {
        let traces = count(step.traces, "trace");
        let verified = format!("{traces} {} verified", if step.traces == 1 { "is" } else { "are" });
        let left = match step.constraints {
            0 => "no constraint is left".to_owned(),
            some => {
                let threads = count(step.waiting as u64, "thread");
                let (is, wait) =
                    (if some == 1 { "is" } else { "are" }, if step.waiting == 1 { "waits" } else { "wait" });
                format!("{} {is} left, and {threads} {wait}", count(some as u64, "constraint"))
            }
        };
        let mut text = format!("When {verified}, {left}.\n");
        for edge in &step.dropped {
            let _ = writeln!(text, "    dropped: {}", self.constraint(edge));
        }
        text
    }

    /// Why a constraint has to stay, with the run that shows it.
    pub fn kept_text(&self, kept: &Kept) -> String {
        let what = match &kept.constraint {
            Some(edge) => format!("Kept: {}.", self.constraint(edge)),
            None => "Kept: what comes first in the trace.".to_owned(),
        };
        let how = match kept.outcome {
            Outcome::Error { .. } => "Without it, a run goes wrong:",
            Outcome::Deadlock => "Without it, a run ends in a deadlock:",
            Outcome::Stuck => "Without it, a run is stuck:",
            Outcome::Ended => "Without it, a run is possible that was not expected:",
        };
        format!("{what} {how}\n{}", self.run_text(&kept.run))
    }

    fn inputs(&self, run: &Run) -> Vec<(String, String)> {
        let system = self.finite.system();
        let state = run.state(self.finite, 0);
        let text = |at: usize| (system.names[at].clone(), self.program.value_text(state.values[at]));
        system.inputs.iter().map(|(variable, _)| text(variable.0 as usize)).collect()
    }

    /// A run, a line for each event.
    pub fn run_text(&self, run: &Run) -> String {
        let mut text = String::new();
        let inputs = self.inputs(run);
        if !inputs.is_empty() {
            let values: Vec<_> = inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            let _ = writeln!(text, "    at the start {}", values.join(", "));
        }
        for (at, step) in run.steps.iter().enumerate() {
            let thread = usize::from(step.event.thread);
            let span = self.finite.system().point(thread, run.state(self.finite, at).points[thread]).span;
            let name = self.thread(step.event.thread);
            let _ = writeln!(text, "    {name}  {}  (line {})", span.on_one_line(self.text), span.line);
        }
        text
    }

    /// All of it as JSON.
    pub fn json(
        &self,
        verdict: TraceVerdict,
        strategy: Strategy,
        trace: Option<&SymbolicTrace>,
        (steps, kept): (&[Relaxed], &[Kept]),
        traces: u64,
    ) -> TraceJson {
        let system = self.finite.system();
        let kept = kept.iter().map(|kept| KeptJson {
            constraint: kept.constraint.as_ref().map(|edge| (edge.from, edge.to)),
            events: kept.run.events().collect(),
            inputs: self.inputs(&kept.run),
            outcome: kept.outcome.into(),
        });
        TraceJson {
            verdict: verdict.name(),
            strategy,
            threads: system.threads.iter().map(|thread| thread.name.clone()).collect(),
            constraints: trace.map(|trace| constraints(self.program, system, trace.graph.edges())).unwrap_or_default(),
            steps: relaxed(steps),
            kept: kept.collect(),
            traces,
        }
    }
}
