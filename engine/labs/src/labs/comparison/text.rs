//! A comparison of models as text and JSON.

use crate::compare::{AbsentOutcome, Cell, Comparison, OutcomeRow, Reason};
use crate::graph::{Edge, Execution, RelationName};
use crate::model::{Model, Violation};
use crate::program::{Observable, Program, Value};
use crate::report::{
    AbsentJson, CycleEdgeJson, Detail, DrawingInput, Room, Speaker, ValueJson, absence_sentence, cycle_json,
    cycle_text, graph_text,
};
use crate::words;
use indexmap::IndexMap;
use serde::Serialize;
use std::fmt::Write;

/// Everything there is to say about a comparison.
#[derive(Clone, Copy, Debug)]
pub struct ComparisonReport<'a> {
    /// What to call the program.
    pub name: &'a str,
    /// The program.
    pub program: &'a Program,
    /// Its text.
    pub source: &'a str,
    /// What was found.
    pub comparison: &'a Comparison,
}

impl ComparisonReport<'_> {
    /// Whether something was cut: loops, candidates or explorations; or a question was left undecided.
    pub fn is_bounded(&self) -> bool {
        let comparison = self.comparison;
        comparison.stopped
            || !comparison.all_outcomes
            || comparison.models.iter().any(|model| model.stopped || model.undecided || model.counts.bounded > 0)
    }

    /// What an outcome consists of, by name.
    pub fn columns(&self) -> Vec<String> {
        self.comparison.observables.iter().map(|&observable| self.program.observable_name(observable)).collect()
    }

    /// What has to be known to read the table, a sentence each.
    pub fn notes(&self) -> Vec<String> {
        let comparison = self.comparison;
        let names = |wanted: &dyn Fn(&crate::compare::Explored) -> bool| {
            let names: Vec<_> = comparison.models.iter().filter(|m| wanted(m)).map(|m| m.model.title()).collect();
            names.join(", ")
        };
        let mut notes = Vec::new();
        if comparison.stopped {
            notes.push(
                "Bounded: the comparison was stopped before its end. Outcomes and reasons may be missing.".to_owned(),
            );
        } else if !comparison.all_outcomes {
            notes.push(
                "There are too many candidate executions. So only outcomes that some of these models allows are \
                 listed, and the cycles shown are in other models' witnesses."
                    .to_owned(),
            );
        }
        let bounded = names(&|m| m.counts.bounded > 0);
        if !bounded.is_empty() {
            notes.push(format!("Bounded under {bounded}: executions were cut. Their outcomes are not known."));
        }
        let stopped = names(&|m| m.stopped);
        if !stopped.is_empty() {
            notes.push(format!("Not explored to the end under {stopped}: what was not found there is unknown (?)."));
        }
        let undecided = names(&|m| m.undecided);
        if !undecided.is_empty() {
            notes.push(format!(
                "Bounded under {undecided}: a search reached its limit. What was not found there is unknown (?)."
            ));
        }
        let blocked: Vec<_> = comparison
            .models
            .iter()
            .filter(|m| m.counts.blocked + m.counts.erroneous > 0)
            .map(|m| format!("{} {}+{}", m.model.title(), m.counts.blocked, m.counts.erroneous))
            .collect();
        if !blocked.is_empty() {
            notes.push(format!(
                "Blocked and erroneous executions have no outcome, unless all that is wrong is a race \
                 (blocked+erroneous): {}.",
                blocked.join(", ")
            ));
        }
        let racy = names(&|m| m.racy);
        if !racy.is_empty() {
            notes
                .push(format!("There are data races under {racy}: in C11, the behaviour of the program is undefined."));
        }
        if comparison.filtered > 0 {
            notes.push(format!("The filter removed {}.", words::count(comparison.filtered, "outcome")));
        }
        notes
    }

    /// An outcome as an equation for each value: `P0:a=0 P1:b=0`.
    pub fn outcome_text(&self, state: &[Value]) -> String {
        let values = self.program.state_texts(&self.comparison.observables, state);
        self.columns().iter().zip(values).map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    }

    /// The values of an outcome that no candidate has, where there are such.
    pub(super) fn absent_texts(&self, absent: &AbsentOutcome) -> Vec<Option<String>> {
        let value = |(observable, value): (&Observable, &Option<Value>)| {
            value.map(|value| self.program.observable_text(*observable, value))
        };
        self.comparison.observables.iter().zip(&absent.state).map(value).collect()
    }

    /// The same for an outcome that no candidate has.
    pub fn absent_text(&self, absent: &AbsentOutcome) -> String {
        let columns = self.columns();
        let asked = columns
            .iter()
            .zip(self.absent_texts(absent))
            .filter_map(|(name, value)| Some(format!("{name}={}", value?)));
        let asked: Vec<_> = asked.collect();
        if asked.is_empty() { "what the condition asks for".to_owned() } else { asked.join(" ") }
    }

    /// Why no candidate has an outcome.
    pub fn absence_sentence(&self, absent: &AbsentOutcome) -> String {
        absence_sentence(self.program, &absent.why)
    }

    /// `W(x,1) -po-> R(y,0) -fr-> W(y,1) ...`, with the names of events where two look alike.
    pub fn cycle_text(&self, graph: &Execution, violation: &Violation) -> String {
        cycle_text(self.program, graph, violation)
    }

    /// What to draw of a candidate that a model forbids.
    pub fn drawing<'b>(&'b self, reason: &'b Reason) -> DrawingInput<'b> {
        let mut input = DrawingInput::new(self.program, &reason.candidate);
        // Beside something else.
        input.room = Room::Narrow;
        input.violation = Some(&reason.violation);
        input
    }

    /// What to draw of a witness.
    pub fn witness_drawing<'b>(&'b self, model: Model, graph: &'b Execution) -> DrawingInput<'b> {
        let mut input = DrawingInput::new(self.program, graph);
        // Beside something else.
        input.room = Room::Narrow;
        if let Some(witness) = model.consistency_for_view(graph).witness() {
            let shown = [RelationName::Rf, RelationName::Co, RelationName::Fr, RelationName::Sw];
            let relations = model.relations(graph, &witness).into_iter();
            let edges: Vec<Edge> =
                relations.filter(|(relation, _)| shown.contains(relation)).flat_map(|(_, edges)| edges).collect();
            input.edges.extend(edges);
        }
        input
    }
}

/// The table, notes, and a line for each reason; in full, the graph of each witness and forbidden candidate.
pub fn comparison_text(report: &ComparisonReport, detail: Detail) -> String {
    let ComparisonReport { name, program, source, comparison } = *report;
    let mut out = String::new();
    let name = if name.is_empty() { "the program" } else { name };
    let count = comparison.outcomes.len();
    let models = words::count(comparison.models.len() as u64, "model");
    let _ = writeln!(out, "{name}: {} under {models}", words::count(count as u64, "outcome"));
    if let Some(condition) = &program.condition {
        let _ = writeln!(out, "{}", condition.span.on_one_line(source));
    }
    out.push('\n');
    table(&mut out, report);
    for note in report.notes() {
        let _ = writeln!(out, "{note}");
    }
    let mut reasons = String::new();
    for outcome in &comparison.outcomes {
        reasons_of(&mut reasons, report, outcome, detail);
    }
    for absent in &comparison.absent {
        let _ = writeln!(reasons, "{}: {}", report.absent_text(absent), report.absence_sentence(absent));
    }
    if !reasons.is_empty() {
        let _ = write!(out, "\n{reasons}");
    }
    words::harmless(&out).into_owned()
}

fn table(out: &mut String, report: &ComparisonReport) {
    let comparison = report.comparison;
    let mut rows = vec![(' ', report.columns())];
    rows[0].1.extend(comparison.models.iter().map(|explored| explored.model.title().to_owned()));
    for outcome in &comparison.outcomes {
        let cells = outcome.cells.iter().map(|cell| match cell {
            Cell::Allowed { executions, .. } => executions.to_string(),
            Cell::Forbidden { .. } => "-".to_owned(),
            Cell::Unknown => "?".to_owned(),
        });
        let mark = if outcome.satisfies == Some(true) { '*' } else { ' ' };
        let values = report.program.state_texts(&comparison.observables, &outcome.state);
        rows.push((mark, values.into_iter().chain(cells).collect()));
    }
    for absent in &comparison.absent {
        let state = report.absent_texts(absent).into_iter().map(Option::unwrap_or_default);
        rows.push(('*', state.chain(comparison.models.iter().map(|_| "x".to_owned())).collect()));
    }
    let widths: Vec<usize> = (0..rows[0].1.len())
        .map(|column| rows.iter().map(|(_, row)| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    for (mark, row) in &rows {
        let mut line = mark.to_string();
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = if at == comparison.observables.len() { "    " } else { "  " };
            let _ = write!(line, "{gap}{}{cell}", " ".repeat(width - cell.chars().count()));
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let mut legend = vec!["number: allowed, by that many executions", "-: forbidden"];
    if !comparison.absent.is_empty() {
        legend.push("x: no candidate execution");
    }
    if rows.iter().any(|(mark, _)| *mark == '*') {
        legend.push("*: satisfies the condition");
    }
    let _ = writeln!(out, "({})", legend.join("; "));
}

/// One of the models that share a line, and its reason.
type Example<'a> = Option<(Model, &'a Reason)>;

/// Models that forbid an outcome for the same reason share a line.
fn reasons_of(out: &mut String, report: &ComparisonReport, outcome: &OutcomeRow, detail: Detail) {
    let state = report.outcome_text(&outcome.state);
    let mut shared: IndexMap<String, (Vec<&str>, Example)> = IndexMap::new();
    for (explored, cell) in report.comparison.models.iter().zip(&outcome.cells) {
        let (text, reason) = match cell {
            Cell::Forbidden { reason: Some(reason), shortest, .. } => {
                let Reason { candidate, violation, .. } = &**reason;
                let which = if *shortest { "" } else { " (perhaps not the shortest)" };
                (
                    format!("{}: {}{which}", violation.axiom, report.cycle_text(candidate, violation)),
                    Some((explored.model, &**reason)),
                )
            }
            Cell::Forbidden { reason: None, .. } if report.comparison.stopped => {
                ("no reason was found before the comparison was stopped".to_owned(), None)
            }
            Cell::Forbidden { reason: None, .. } if report.comparison.all_outcomes => {
                ("too many coherence orders to give a reason".to_owned(), None)
            }
            Cell::Forbidden { .. } => ("no candidate was found to give a reason".to_owned(), None),
            Cell::Allowed { executions: n, position, witness } => {
                if detail == Detail::Full {
                    let model = explored.model;
                    let _ = writeln!(out, "{state} allowed by {}: {}", model.title(), words::count(*n, "execution"));
                    let _ = writeln!(out, "the first, at step {position}:");
                    let _ = writeln!(out, "{}", graph_text(&report.witness_drawing(model, witness)));
                }
                continue;
            }
            Cell::Unknown => continue,
        };
        shared.entry(text).or_insert((Vec::new(), reason)).0.push(explored.model.title());
    }
    for (text, (models, reason)) in shared {
        let _ = writeln!(out, "{state} forbidden by {}: {text}", models.join(", "));
        if let Some((model, reason)) = reason.filter(|_| detail == Detail::Full) {
            let _ = write!(out, "{}", graph_text(&report.drawing(reason)));
            let speaker = Speaker { program: report.program, graph: &reason.candidate, model };
            let (meaning, breach) = (speaker.meaning(&reason.violation), speaker.breach(&reason.violation));
            let _ = writeln!(out, "{}: {meaning} {breach}\n", reason.violation.axiom);
        }
    }
}

/// The object that `litmoscope compare --json` prints. New keys may be added, none is taken away or changes its meaning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparisonJson {
    /// The program's name; of a program without one, its file's without the ending.
    pub program: String,
    /// Whether loops, candidates or explorations were cut, or a question was left undecided.
    pub bounded: bool,
    /// Whether all outcomes of candidate executions are listed.
    pub all_outcomes: bool,
    /// The models.
    pub models: Vec<ModelJson>,
    /// The final condition as it is written, on one line; `null` without one.
    pub condition: Option<String>,
    /// The outcomes, sorted by their values.
    pub outcomes: Vec<ComparedJson>,
    /// Outcomes that the condition asks for and no candidate has.
    pub absent: Vec<AbsentJson>,
    /// What has to be known to read the outcomes.
    pub notes: Vec<String>,
}

/// A model compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelJson {
    /// Its name: `sc`, ...
    pub model: &'static str,
    /// Whole executions without error in which every thread ran to its end.
    pub complete: u64,
    /// Those with a stuck or cut thread.
    pub blocked: u64,
    /// Those with an error or a race.
    pub erroneous: u64,
    /// Those that a bound cut.
    pub bounded: u64,
    /// Whether there is a data race.
    pub racy: bool,
    /// Whether the exploration was stopped before its end.
    pub stopped: bool,
    /// Whether a search reached its limit, so that outcomes that were not found are unknown.
    pub undecided: bool,
}

/// An outcome under all models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComparedJson {
    /// The values by name.
    pub state: IndexMap<String, ValueJson>,
    /// Whether it satisfies the condition's proposition; `null` without a condition.
    pub satisfies: Option<bool>,
    /// How many candidate executions have it; `null` if not all are known.
    pub candidates: Option<u64>,
    /// By model.
    pub models: IndexMap<&'static str, CellJson>,
}

/// What a model says of an outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum CellJson {
    /// Some execution ends in it.
    Allowed {
        /// How many.
        executions: u64,
        /// After how many steps of GenMC the first of them is whole.
        position: u64,
    },
    /// None does.
    Forbidden {
        /// The axiom violated; `null` with `cycle` where no reason could be given.
        axiom: Option<String>,
        /// The cycle.
        cycle: Option<Vec<CycleEdgeJson>>,
        /// Whether no candidate has a shorter one.
        shortest: bool,
    },
    /// Not found before the exploration was stopped.
    Unknown,
}

impl From<&ComparisonReport<'_>> for ComparisonJson {
    fn from(report: &ComparisonReport) -> Self {
        let ComparisonReport { name, program, source, comparison } = *report;
        let columns = report.columns();
        let cycle = |reason: &Reason| cycle_json(program, &reason.candidate, &reason.violation);
        let cell = |cell: &Cell| match cell {
            Cell::Allowed { executions, position, .. } => {
                CellJson::Allowed { executions: *executions, position: *position }
            }
            Cell::Forbidden { reason, shortest, .. } => CellJson::Forbidden {
                axiom: reason.as_ref().map(|reason| reason.violation.axiom.clone()),
                cycle: reason.as_deref().map(cycle),
                shortest: *shortest,
            },
            Cell::Unknown => CellJson::Unknown,
        };
        Self {
            program: name.to_owned(),
            bounded: report.is_bounded(),
            all_outcomes: comparison.all_outcomes,
            models: comparison
                .models
                .iter()
                .map(|explored| ModelJson {
                    model: explored.model.name(),
                    complete: explored.counts.complete,
                    blocked: explored.counts.blocked,
                    erroneous: explored.counts.erroneous,
                    bounded: explored.counts.bounded,
                    racy: explored.racy,
                    stopped: explored.stopped,
                    undecided: explored.undecided,
                })
                .collect(),
            condition: program.condition.as_ref().map(|condition| condition.span.on_one_line(source)),
            outcomes: comparison
                .outcomes
                .iter()
                .map(|outcome| ComparedJson {
                    state: columns
                        .iter()
                        .cloned()
                        .zip(comparison.observables.iter().zip(&outcome.state))
                        .map(|(name, (observable, value))| (name, ValueJson::new(program, *observable, *value)))
                        .collect(),
                    satisfies: outcome.satisfies,
                    candidates: comparison.all_outcomes.then_some(outcome.candidates),
                    models: comparison
                        .models
                        .iter()
                        .zip(&outcome.cells)
                        .map(|(explored, c)| (explored.model.name(), cell(c)))
                        .collect(),
                })
                .collect(),
            absent: comparison
                .absent
                .iter()
                .map(|absent| AbsentJson::new(program, &comparison.observables, absent))
                .collect(),
            notes: report.notes(),
        }
    }
}
