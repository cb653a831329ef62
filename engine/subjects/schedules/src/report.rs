//! What was found, in words and as JSON.

use crate::check::{Failure, Property};
use crate::game::Run;
use crate::impact::{Counterexample, Found, Limit, Verdict, Wrong};
use litmoscope_core::program::system::{EventKind, PointId, PointKind, State, Successor, System, TransitionId};
use litmoscope_core::words::{count, list};
use serde::Serialize;
use std::fmt::Write;

/// Says what was found of a program. Places are those of its text.
#[derive(Clone, Copy, Debug)]
pub struct Reporter<'a> {
    /// The program.
    pub system: &'a System,
    /// Its text.
    pub text: &'a str,
}

/// An intermediate result as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct ResultJson {
    /// In which iteration, from 1.
    pub iteration: u32,
    /// The threads in the order in which the new schedule lets each run first.
    pub order: Vec<String>,
    /// How many nodes its tree has; 0 if there is no schedule yet that is proven right.
    pub nodes: usize,
    /// How many pairs of a node and a thread it allows that the one before did not.
    pub gained: usize,
    /// How many pairs the one before allowed that it does not.
    pub lost: usize,
    /// What holds at the start of the tree, and each time that the run comes back there.
    pub label: Option<String>,
}

/// A step of a run as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct StepJson {
    /// The thread's name.
    pub thread: String,
    /// What it does, as the text writes it.
    pub event: String,
    /// The line of that, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The values of the inputs that it is given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<i64>,
}

/// A value at the start as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct ValueJson {
    /// The name of what has it.
    pub name: String,
    /// The value.
    pub value: i64,
}

/// A run that goes wrong, as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct CounterexampleJson {
    /// `error` or `deadlock`.
    pub wrong: &'static str,
    /// The inputs at the start.
    pub initial: Vec<ValueJson>,
    /// The steps.
    pub steps: Vec<StepJson>,
    /// What goes wrong at the end, as a clause.
    pub why: String,
}

impl Verdict {
    /// Its name: `safe`, `partially safe`, `unsafe`, `bounded`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::PartiallySafe => "partially safe",
            Self::Unsafe => "unsafe",
            Self::Bounded(_) => "bounded",
        }
    }

    /// What it says, as a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Safe => "Safe: no schedule leads to an error or a deadlock, whatever the inputs are.",
            Self::PartiallySafe => {
                "Partially safe: some schedules lead to an error or a deadlock, and those that were found never do."
            }
            Self::Unsafe => {
                "Unsafe: some schedules lead to an error or a deadlock, and none was found that never does."
            }
            Self::Bounded(Limit::Nodes) => {
                "Bounded: the tree has as many nodes as it may have, and not all was looked at."
            }
            Self::Bounded(Limit::Iterations) => {
                "Bounded: there were as many iterations as there may be, and not all was looked at."
            }
            Self::Bounded(Limit::Undecided) => {
                "Bounded: a question was given up at its limit, or an input has too many values to look at each."
            }
        }
    }
}

impl Reporter<'_> {
    /// The name of a thread.
    pub(crate) fn thread(&self, thread: u16) -> String {
        self.system.threads.get(usize::from(thread)).map_or_else(String::new, |thread| thread.name.clone())
    }

    /// A step, with the values of its inputs.
    pub(crate) fn step(&self, transition: TransitionId, inputs: &[i64]) -> StepJson {
        let transition = self.system.transition(transition);
        let point = self.system.point(usize::from(transition.thread), transition.from);
        StepJson {
            thread: self.thread(transition.thread),
            event: point.span.on_one_line(self.text),
            line: point.span.line,
            column: point.span.column,
            inputs: inputs.to_vec(),
        }
    }

    /// A counterexample as JSON.
    pub fn counterexample(&self, found: &Counterexample) -> CounterexampleJson {
        let inputs = self.system.inputs.iter().map(|(variable, _)| variable.0 as usize);
        let initial = inputs.filter_map(|at| {
            Some(ValueJson { name: self.system.names.get(at)?.clone(), value: *found.initial.get(at)? })
        });
        let why = match found.wrong {
            Wrong::Error => self.went_wrong(found),
            Wrong::Deadlock => format!("{} for each other", self.waiting(found)),
        };
        CounterexampleJson {
            wrong: match found.wrong {
                Wrong::Error => "error",
                Wrong::Deadlock => "deadlock",
            },
            initial: initial.collect(),
            steps: found.steps.iter().map(|(step, inputs)| self.step(*step, inputs)).collect(),
            why,
        }
    }

    fn went_wrong(&self, found: &Counterexample) -> String {
        let Some((last, _)) = found.steps.last() else { return "a thread goes wrong at once".to_owned() };
        let last = self.system.transition(*last);
        let point = self.system.point(usize::from(last.thread), last.to);
        format!("{} goes wrong at `{}`", self.thread(last.thread), point.span.on_one_line(self.text))
    }

    fn waiting(&self, found: &Counterexample) -> String {
        let mut points: Vec<_> = self.system.threads.iter().map(|thread| thread.start).collect();
        for (step, _) in &found.steps {
            let step = self.system.transition(*step);
            points[usize::from(step.thread)] = step.to;
        }
        let mut waiting = Vec::new();
        for (thread, point) in points.into_iter().enumerate() {
            let point = self.system.point(thread, point);
            if point.is_active() {
                let name = self.thread(thread as u16);
                waiting.push(match point.kind {
                    PointKind::Event(EventKind::Stuck) => format!("{name} for good"),
                    _ => format!("{name} at `{}`", point.span.on_one_line(self.text)),
                });
            }
        }
        format!("{} wait", list(waiting))
    }

    /// A counterexample in lines, a step each.
    pub fn counterexample_text(&self, found: &Counterexample) -> String {
        let CounterexampleJson { wrong, initial, steps, why } = self.counterexample(found);
        let name = if wrong == "error" { "An error" } else { "A deadlock" };
        let mut text = format!("{name} after {}: {why}.\n", count(steps.len() as u64, "step"));
        if !initial.is_empty() {
            let values =
                initial.iter().map(|value| format!("{} = {}", value.name, self.system.value_text(value.value)));
            let _ = writeln!(text, "    at the start {}", values.collect::<Vec<_>>().join(", "));
        }
        for step in &steps {
            let inputs = match &step.inputs[..] {
                [] => String::new(),
                inputs => {
                    let values: Vec<_> = inputs.iter().map(|value| self.system.value_text(*value)).collect();
                    format!(", given {}", values.join(", "))
                }
            };
            let _ = writeln!(text, "    {}  {}{inputs}  (line {})", step.thread, step.event, step.line);
        }
        text
    }

    /// An intermediate result as JSON; `label` says what holds at its root.
    pub fn result(&self, found: &Found, label: Option<String>) -> ResultJson {
        ResultJson {
            iteration: found.iteration,
            order: found.order.iter().map(|thread| self.thread(*thread)).collect(),
            nodes: found.nodes.len(),
            gained: found.gained,
            lost: found.lost,
            label,
        }
    }

    /// An intermediate result as a sentence or two.
    pub fn result_text(&self, found: &Found, label: Option<String>) -> String {
        let ResultJson { iteration, order, nodes, gained, lost, label } = self.result(found, label);
        if found.art.is_none() {
            return format!("Iteration {iteration}: no schedule is proven right yet.\n");
        }
        let mut text = format!(
            "Iteration {iteration}: schedules with {} are proven right, which lets threads run in {}",
            count(nodes as u64, "node"),
            count(gained as u64, "more place"),
        );
        if lost > 0 {
            let _ = write!(text, " and {lost} fewer");
        }
        let _ = write!(text, ". The new one runs {}.", order.join(", "));
        if let Some(label) = label {
            let _ = write!(text, " It comes back to {label}.");
        }
        text + "\n"
    }

    /// Where a thread goes wrong, as a sentence.
    pub fn wrong_at(&self, thread: u16, point: PointId) -> String {
        let span = self.system.point(usize::from(thread), point).span;
        format!("{} goes wrong at `{}` in line {}.", self.thread(thread), span.on_one_line(self.text), span.line)
    }

    /// What a set of schedules promises, or a run that shows that it does not, in lines.
    pub fn property_text(&self, property: Property, failure: Option<&Failure>) -> String {
        let name = match property {
            Property::Safe => "safe",
            Property::Realizable => "realizable",
            Property::DeadlockFree => "free of deadlocks",
            Property::AdmitsFairness => "admits fairness",
            Property::Fair => "fair",
        };
        let Some(failure) = failure else { return format!("{name}: yes\n") };
        let why = match failure {
            Failure::Error(_) => "a run that it allows goes wrong".to_owned(),
            Failure::Deadlock(_) => "a run that it allows ends in a deadlock".to_owned(),
            Failure::DeadEnd { run, allowed, enabled, .. } => {
                let names = |threads: &[u16]| match threads {
                    [] => "nobody".to_owned(),
                    threads => list(threads.iter().map(|thread| self.thread(*thread))),
                };
                format!(
                    "a run that it allows gets to {}, where it allows {}, and only {} could go on",
                    self.values(run.last()),
                    names(allowed),
                    names(enabled)
                )
            }
            Failure::Unfair { thread, .. } => {
                format!("{} could go on again and again in a run that it allows, and never does", self.thread(*thread))
            }
        };
        format!("{name}: no, {why}\n{}", self.run_text(failure.run()))
    }

    fn values(&self, state: &State) -> String {
        let shared = self.system.shared();
        let values = self.system.names.iter().zip(&state.values).take(shared);
        list(values.map(|(name, value)| format!("{name} = {value}")))
    }

    fn run_text(&self, run: &Run) -> String {
        let line = |step: &Successor| {
            let StepJson { thread, event, line, .. } = self.step(step.transition, &step.inputs);
            format!("    {thread}  {event}  (line {line})\n")
        };
        let mut text: String = run.steps.iter().map(line).collect();
        if !run.cycle.is_empty() {
            text += "  and then for ever\n";
            text.extend(run.cycle.iter().map(line));
        }
        text
    }

    /// How a run of real threads ended, as a sentence, and the exit status for that.
    #[cfg(not(target_family = "wasm"))]
    pub fn ended(&self, ended: &litmoscope_runtime::Ended) -> (String, u8) {
        use litmoscope_runtime::Ended;
        match ended {
            Ended::Stopped => ("Stopped as its time was up: nothing went wrong.".to_owned(), 0),
            Ended::Left => ("All threads have ended: nothing went wrong.".to_owned(), 0),
            Ended::Stuck(standing) => {
                let mut said = standing.to_string();
                for thread in (0..self.system.threads.len()).rev() {
                    said = said.replace(&format!("T{}", thread + 1), &self.thread(thread as u16));
                }
                for (number, mutex) in crate::native::Native::of(self.system).locks.iter().enumerate() {
                    let name = self.system.names.get(mutex.0 as usize).map_or("", String::as_str);
                    said = said.replace(&format!("lock {number},"), &format!("`{name}`,"));
                }
                (format!("Stuck: {said}."), 1)
            }
            Ended::NotPermitted(departure) => {
                let thread = self.thread(departure.thread as u16);
                let step = departure.transition.filter(|step| (*step as usize) < self.system.transitions.len());
                let step = step.map(|step| self.step(TransitionId(step), &[]));
                let what = step.map_or_else(
                    || format!("{thread} wants to go on"),
                    |step| format!("{thread} did `{}` in line {}", step.event, step.line),
                );
                (format!("{what}, which the schedules do not allow there."), 1)
            }
            other => (format!("{other}."), 1),
        }
    }
}
